package drivertest

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
)

func testLaunch(t *testing.T, s suite) {
	q := s.queue(t)
	k := s.kernel(t, "t_affine32")
	for _, c := range []struct{ n, block, shift uint64 }{{1, 1, 0}, {63, 64, 4}, {64, 64, 4}, {65, 64, 0}, {100_000, 128, 12}} {
		src := RedZoned(t, s.dev, q, 4*c.n, c.shift)
		dst := RedZoned(t, s.dev, q, 4*c.n, c.shift)
		p := pattern(int(4*c.n), c.n)
		src.Write(p)
		must(t, q.Launch(k, driver.Launch{
			Grid: driver.Dim{X: uint32((c.n + c.block - 1) / c.block)}, Block: driver.Dim{X: uint32(c.block)},
			Args: []driver.Arg{buf(src.Buf, src.Off), buf(dst.Buf, dst.Off), val(c.n, 8), val(0x9E3779B1, 4), val(17, 4)},
		}))
		equal(t, "affine32", dst.Read(), affine32(p, 0x9E3779B1, 17))
	}
	a := s.alloc(t, 4)
	wantError(t, "block too large", q.Launch(k, driver.Launch{
		Grid: driver.Dim{X: 1}, Block: driver.Dim{X: uint32(2 * s.dev.Caps().MaxThreadsPerBlock)},
		Args: []driver.Arg{buf(a, 0), buf(a, 0), val(1, 8), val(1, 4), val(0, 4)},
	}), nil)
}

func affine32(p []byte, a, c uint32) []byte {
	r := make([]byte, len(p))
	for i := 0; i < len(p); i += 4 {
		binary.LittleEndian.PutUint32(r[i:], binary.LittleEndian.Uint32(p[i:])*a+c)
	}
	return r
}

func testLaunch64(t *testing.T, s suite) {
	q := s.queue(t)
	k := s.kernel(t, "t_affine64")
	const n, a, c = 1000, 0x9E3779B97F4A7C15, 0xFEDCBA9876543210
	src := RedZoned(t, s.dev, q, 8*n, 8)
	dst := RedZoned(t, s.dev, q, 8*n, 16)
	p := pattern(8*n, 3)
	src.Write(p)
	must(t, q.Launch(k, driver.Launch{
		Grid: driver.Dim{X: 8}, Block: driver.Dim{X: 128},
		Args: []driver.Arg{buf(src.Buf, src.Off), buf(dst.Buf, dst.Off), val(n, 8), val(a, 8), val(c, 8)},
	}))
	want := make([]byte, 8*n)
	for i := 0; i < len(p); i += 8 {
		binary.LittleEndian.PutUint64(want[i:], binary.LittleEndian.Uint64(p[i:])*a+c)
	}
	equal(t, "affine64", dst.Read(), want)
}

func testArgs(t *testing.T, s suite) {
	q := s.queue(t)
	k := s.kernel(t, "t_args")
	o := RedZoned(t, s.dev, q, 32, 0)
	// Bits above an argument's size are not passed.
	must(t, q.Launch(k, driver.Launch{Args: []driver.Arg{
		buf(o.Buf, o.Off), val(0xFFEE11, 1), val(0xFFEE2233, 2), val(0xEE_44556677, 4), val(0x8899AABBCCDDEEFF, 8),
	}}))
	got := o.Read()
	for i, want := range []uint64{0x11, 0x2233, 0x44556677, 0x8899AABBCCDDEEFF} {
		if v := binary.LittleEndian.Uint64(got[8*i:]); v != want {
			t.Errorf("argument %d arrived as %#x, want %#x", i+1, v, want)
		}
	}
}

func testGrid2(t *testing.T, s suite) {
	q := s.queue(t)
	k := s.kernel(t, "t_grid2")
	const w, h = 8 * 5, 4 * 3
	o := RedZoned(t, s.dev, q, 4*w*h, 4)
	must(t, q.Launch(k, driver.Launch{
		Grid: driver.Dim{X: 5, Y: 3}, Block: driver.Dim{X: 8, Y: 4}, Args: []driver.Arg{buf(o.Buf, o.Off), val(w, 4)},
	}))
	want := make([]byte, 4*w*h)
	for i := range uint32(w * h) {
		binary.LittleEndian.PutUint32(want[4*i:], i/w<<16|i%w)
	}
	equal(t, "grid", o.Read(), want)
}

func testShared(t *testing.T, s suite) {
	q := s.queue(t)
	k := s.kernel(t, "t_reverse")
	for _, block := range []int{1, 32, 64, 256} {
		const blocks = 9
		n := block * blocks
		src := RedZoned(t, s.dev, q, uint64(4*n), 4)
		dst := RedZoned(t, s.dev, q, uint64(4*n), 0)
		p := pattern(4*n, uint64(block))
		src.Write(p)
		must(t, q.Launch(k, driver.Launch{
			Grid: driver.Dim{X: blocks}, Block: driver.Dim{X: uint32(block)}, SharedBytes: uint32(4 * block),
			Args: []driver.Arg{buf(src.Buf, src.Off), buf(dst.Buf, dst.Off)},
		}))
		want := make([]byte, 4*n)
		for i := range n {
			b, j := i/block, i%block
			copy(want[4*i:4*i+4], p[4*(b*block+block-1-j):])
		}
		equal(t, "reverse", dst.Read(), want)
	}
}

func testUnknownKernel(t *testing.T, s suite) {
	m, err := s.dev.LoadModule([]driver.Image{s.k.Image})
	must(t, err)
	_, err = m.Kernel("t_no_such_kernel")
	if e := wantError(t, "unknown kernel", err, nil); !strings.Contains(e.Error(), "t_no_such_kernel") {
		t.Errorf("the error does not name the kernel: %v", e)
	}
}

func testBadImage(t *testing.T, s suite) {
	_, err := s.dev.LoadModule(nil)
	wantError(t, "no image", err, driver.ErrUnsupported)
	if len(s.k.Bad.Data) == 0 {
		absent.Skip(t, "compiler", "this driver has none")
	}
	for range 2 { // a failure is not cached as a module
		_, err = s.dev.LoadModule([]driver.Image{s.k.Bad})
		if e := wantError(t, "bad image", err, nil); !strings.Contains(e.Error(), s.k.BadLog) {
			t.Errorf("the compiler's message is not in the error: %v", e)
		}
	}
}

func testModuleCache(t *testing.T, s suite) {
	m1, err := s.dev.LoadModule([]driver.Image{s.k.Image})
	must(t, err)
	m2, err := s.dev.LoadModule([]driver.Image{s.k.Image})
	must(t, err)
	if m1 != m2 {
		t.Error("loading one image twice gave two modules")
	}
	if s.kernel(t, "t_args") != s.kernel(t, "t_args") {
		t.Error("one name gave two kernels")
	}
}

// testAttributes also asks after a launch, whose own shared memory is not the
// kernel's.
func testAttributes(t *testing.T, s suite) {
	k := s.kernel(t, "t_reverse")
	a, err := k.Attributes()
	must(t, err)
	if a.MaxThreadsPerBlock < 1 || a.MaxThreadsPerBlock > s.dev.Caps().MaxThreadsPerBlock {
		t.Errorf("at most %d threads a block on a device with %d", a.MaxThreadsPerBlock, s.dev.Caps().MaxThreadsPerBlock)
	}
	testShared(t, s)
	if b, err := k.Attributes(); err != nil || a != b {
		t.Errorf("%+v before launches and %+v after them: %v", a, b, err)
	}
}
