package drivertest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

func testCaps(t *testing.T, s suite) {
	c := s.dev.Caps()
	if c.Backend == "" || c.ID == "" || c.Name == "" {
		t.Errorf("no backend, ID or name in %+v", c)
	}
	if c.ComputeUnits < 1 || c.MaxThreadsPerBlock < 1 || c.WarpSize < 1 || c.GlobalBytes == 0 || c.MaxAllocBytes == 0 {
		t.Errorf("a limit is missing in %+v", c)
	}
	if a := c.BufferAlign; a < 4 || a&(a-1) != 0 {
		t.Errorf("alignment %d: want a power of two from 4 up", a)
	}
	if c.SharedPerBlock < 16<<10 || c.SharedPerBlockMax < c.SharedPerBlock {
		t.Errorf("shared memory %d, at most %d", c.SharedPerBlock, c.SharedPerBlockMax)
	}
	free, total, err := s.dev.Mem()
	must(t, err)
	if free > total || total == 0 {
		t.Errorf("%d bytes free of %d", free, total)
	}
}

func testAlloc(t *testing.T, s suite) {
	q := s.queue(t)
	seen := map[uintptr]bool{}
	for _, n := range []uint64{0, 1, 3, 4097, 1<<20 + 1, 32 << 20} {
		b := s.alloc(t, n)
		if b.Bytes() != n {
			t.Errorf("a buffer of %d bytes says %d", n, b.Bytes())
		}
		if n != 0 && (b.Handle() == 0 || seen[b.Handle()]) {
			t.Errorf("%d bytes: handle %#x is 0 or somebody else's", n, b.Handle())
		}
		seen[b.Handle()] = true
		if n == 0 {
			must(t, q.Memset(b, 0, 0, 0))
			must(t, q.CopyIn(b, 0, nil, 0))
			must(t, q.CopyOut(nil, b, 0, 0))
			continue
		}
		p := pattern(1, n)
		in(t, q, b, n-1, p)
		equal(t, "last byte", out(t, q, b, n-1, 1), p)
	}
}

func testCopies(t *testing.T, s suite) {
	q := s.queue(t)
	const n = 100_003
	a, b := s.alloc(t, n), s.alloc(t, n)
	for _, c := range []struct{ aOff, bOff, n uint64 }{{0, 0, n}, {1, 7, 1}, {3, 5, 4096}, {4, 8, 64}, {13, 0, n - 13}} {
		za, zb := pattern(n, 1), pattern(n, 2)
		in(t, q, a, 0, za)
		in(t, q, b, 0, zb)
		p := pattern(int(c.n), 3+c.n)
		in(t, q, a, c.aOff, p)
		must(t, q.Copy(b, c.bOff, a, c.aOff, c.n))
		copy(za[c.aOff:], p)
		copy(zb[c.bOff:], p)
		equal(t, "written", out(t, q, a, 0, n), za)
		equal(t, "copied", out(t, q, b, 0, n), zb)
		equal(t, "piece", out(t, q, b, c.bOff, c.n), p)
	}
	// Ordinary memory may be reused as soon as CopyIn has returned.
	p := pattern(n, 9)
	want := bytes.Clone(p)
	must(t, q.CopyIn(a, 0, unsafe.Pointer(&p[0]), n))
	clear(p)
	equal(t, "reused source", out(t, q, a, 0, n), want)
}

func testCopyRange(t *testing.T, s suite) {
	q := s.queue(t)
	a, b := s.alloc(t, 64), s.alloc(t, 16)
	p := make([]byte, 128)
	ptr := unsafe.Pointer(&p[0])
	for name, err := range map[string]error{
		"in, too long":    q.CopyIn(a, 0, ptr, 65),
		"in, far offset":  q.CopyIn(a, 60, ptr, 8),
		"in, overflow":    q.CopyIn(a, ^uint64(0)-3, ptr, 8),
		"out, too long":   q.CopyOut(ptr, a, 1, 64),
		"copy, to end":    q.Copy(b, 0, a, 0, 17),
		"copy, from end":  q.Copy(b, 0, a, 56, 16),
		"memset, too far": q.Memset(a, 32, 0, 36),
		"memset, odd":     q.Memset(a, 2, 0, 4),
		"memset, odd end": q.Memset(a, 4, 0, 6),
	} {
		wantError(t, name, err, nil)
	}
	must(t, q.Synchronize())
}

// wantError checks that err is a *driver.Error, of the given class if any.
func wantError(t *testing.T, what string, err, class error) *driver.Error {
	t.Helper()
	var e *driver.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: got %v, want a *driver.Error", what, err)
	}
	if class != nil && !errors.Is(err, class) {
		t.Errorf("%s: %v is not of class %q", what, err, class)
	}
	if e.Op == "" || e.Name == "" {
		t.Errorf("%s: no call or name of the code in %q", what, e)
	}
	return e
}

func testMemset(t *testing.T, s suite) {
	q := s.queue(t)
	const n = 4096 + 12
	b := s.alloc(t, n)
	for _, c := range []struct {
		off, n  uint64
		pattern uint32
	}{{0, n, 0}, {0, n, 0xFFFFFFFF}, {4, 8, 0x01020304}, {12, n - 12, 0x80000001}, {n - 4, 4, 7}, {0, 0, 9}} {
		want := pattern(n, 5)
		in(t, q, b, 0, want)
		must(t, q.Memset(b, c.off, c.pattern, c.n))
		for i := c.off; i < c.off+c.n; i += 4 {
			binary.LittleEndian.PutUint32(want[i:], c.pattern)
		}
		equal(t, "memset", out(t, q, b, 0, n), want)
	}
}

func testWrap(t *testing.T, s suite) {
	q := s.queue(t)
	b := s.alloc(t, 1024)
	w, err := s.dev.Wrap(b.Handle(), 1000)
	must(t, err)
	if w.Bytes() != 1000 || w.Handle() != b.Handle() {
		t.Errorf("wrapped: %d bytes at %#x, want 1000 at %#x", w.Bytes(), w.Handle(), b.Handle())
	}
	wspace, woff := w.Place()
	if space, off := b.Place(); space != wspace || off != woff {
		t.Errorf("wrapped at %#x+%d, it lies at %#x+%d", wspace, woff, space, off)
	}
	far := s.alloc(t, 1024)
	if space, off := far.Place(); space == wspace && off < woff+1024 && woff < off+1024 {
		t.Errorf("another buffer lies at %#x+%d, too", space, off)
	}
	p := pattern(1000, 4)
	in(t, q, w, 0, p)
	wantError(t, "past the wrapped size", q.CopyIn(w, 0, unsafe.Pointer(&p[0]), 1001), nil)
	must(t, w.Close())
	must(t, w.Close())
	equal(t, "owner's buffer", out(t, q, b, 0, 1000), p)
}

func testHostBuffers(t *testing.T, s suite) {
	q := s.queue(t)
	empty, err := s.dev.AllocHost(0)
	must(t, err)
	if empty.Pointer() != nil || empty.Bytes() != 0 {
		t.Errorf("an empty host buffer has %d bytes at %p", empty.Bytes(), empty.Pointer())
	}
	must(t, empty.Close())
	const n = 1<<20 + 3
	h, err := s.dev.AllocHost(n)
	must(t, err)
	if h.Bytes() != n || h.Pointer() == nil {
		t.Fatalf("host buffer: %d bytes at %p", h.Bytes(), h.Pointer())
	}
	b := s.alloc(t, n)
	mem := unsafe.Slice((*byte)(h.Pointer()), n)
	want := pattern(n, 6)
	copy(mem, want)
	must(t, q.CopyIn(b, 0, h.Pointer(), n))
	must(t, q.Synchronize())
	clear(mem)
	must(t, q.CopyOut(unsafe.Pointer(&mem[1]), b, 1, n-1))
	must(t, q.Synchronize())
	want[0] = 0
	equal(t, "through pinned memory", mem, want)
	must(t, h.Close())
	must(t, h.Close())
}

func testOutOfMemory(t *testing.T, s suite) {
	free, total, err := s.dev.Mem()
	must(t, err)
	// More than all there is, so that no device hands it out.
	b, err := s.dev.Alloc(2*total + 1<<40)
	if err == nil {
		must(t, b.Close())
		t.Fatalf("a device with %d of %d bytes free allocated twice as much", free, total)
	}
	wantError(t, "huge buffer", err, driver.ErrOutOfMemory)
	// The device is usable afterwards.
	q := s.queue(t)
	p := pattern(64, 8)
	a := s.alloc(t, 64)
	in(t, q, a, 0, p)
	equal(t, "after a refused allocation", out(t, q, a, 0, 64), p)
}
