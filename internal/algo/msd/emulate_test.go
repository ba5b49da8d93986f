package msd

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/verify"
)

// emulator builds kernels/cuda/emulate: this algorithm's kernels and
// onesweep's, for the host, a fiber per thread.
func emulator(t *testing.T) string {
	t.Helper()
	cxx, err := exec.LookPath("c++")
	if err != nil || runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("SKIPPED emulation of the kernels: it needs c++ on the PATH and linux/amd64")
	}
	dir, root := t.TempDir(), filepath.Join("..", "..", "..", "kernels", "cuda")
	host := strings.NewReplacer(
		"extern __shared__ uint4 dynamicShared[];", "uint4* const dynamicShared = emulated::dynamic;",
		"__shared__", "static")
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, rel), 0o755)
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), []byte(host.Replace(string(text))), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "emulate", "run")
	cmd := exec.Command(cxx, "-std=c++17", "-O2", "-w", "-I", dir, "-o", exe, filepath.Join(dir, "emulate", "main.cpp"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("c++: %v\n%s", err, out)
	}
	return exe
}

// Routes of MsdState.
const (
	routeSplit = 1 + iota
	routeOnesweep
	routeNone
)

// input is a distribution of images: the numbers that keys are encoded to.
type input struct {
	name  string
	route uint32
	slow  bool // some buckets must take the slow path
	image func(r *rand.Rand, i, n int, bits, width uint32) uint64
}

// clustered returns an image in one of 40 buckets with the given lower bits.
func clustered(i int, bits, width uint32, low uint64) uint64 {
	bucket := uint64(i%40) * 0x9e3779b97f4a7c15 >> (64 - bits)
	rest := width - bits
	return bucket<<rest | low&(1<<rest-1)
}

func inputs() []input {
	return []input{
		{"uniform", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return r.Uint64() >> (64 - width) }},
		{"full buckets", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return clustered(i, bits, width, r.Uint64()) }},
		{"runs", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			// A few keys of each bucket share the next 16 bits.
			low := r.Uint64() & (1<<(width-bits) - 1)
			if i < 40*3 {
				low = low&(1<<(width-bits-16)-1) | 0xffff<<(width-bits-16)
			}
			return clustered(i, bits, width, low)
		}},
		{"equal keys in each bucket", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return clustered(i, bits, width, 0x5a5a) }},
		{"16 of each", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return clustered(i, bits, width, uint64(i/40/16)*0x9e3779b97f4a7c15>>8)
		}},
		{"largest and smallest", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return clustered(i, bits, width, -(r.Uint64() & 1))
		}},
		{"many runs", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			low := uint64(i/40/3) % 1024 << 6 << (width - bits - 16)
			return clustered(i, bits, width, low|r.Uint64()&(1<<(width-bits-16)-1))
		}},
		{"large bucket", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i%8 == 0 {
				return clustered(0, bits, width, r.Uint64())
			}
			return r.Uint64() >> (64 - width)
		}},
		{"one bucket", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return clustered(1, bits, width, r.Uint64()) }},
		{"constant", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return 77 }},
		{"sorted", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return uint64(i/3) << (width - 18)
		}},
		{"reversed", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return uint64((n-i)/3) << (width - 18)
		}},
		{"sorted but the last", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i == n-1 {
				return 0
			}
			return uint64(i) << (width - 18)
		}},
	}
}

// TestEmulated runs plans on the host: all numbers of bits, all routes, odd
// sizes and alignments, every codec.
func TestEmulated(t *testing.T) {
	exe := emulator(t)
	orders := []struct {
		t key.Type
		o key.Order
	}{
		{key.U32, key.Order{}}, {key.F32, key.Order{}}, {key.U64, key.Order{}}, {key.I32, key.Order{Desc: true}},
		{key.F64, key.Order{NaNLast: true, Desc: true}}, {key.U32, key.Order{Desc: true}}, {key.I64, key.Order{}},
		{key.F32, key.Order{NaNLast: true}}, {key.U64, key.Order{Desc: true}},
	}
	turn := 0
	for _, in := range inputs() {
		for _, bits := range []uint32{16, 10, 11} {
			turn++
			o := orders[turn%len(orders)]
			p := plan.Problem{Type: o.t, Mode: plan.Keys, Order: o.o, Items: uint64(157001 + turn*7)}
			shift := uint64(turn) % 4
			t.Run(fmt.Sprintf("%s/%v/desc=%v/bits=%d/shift=%d", in.name, o.t, o.o.Desc, bits, shift), func(t *testing.T) {
				if o.t.Bits() == 32 {
					emulate[uint32](t, exe, in, p, bits, shift)
				} else {
					emulate[uint64](t, exe, in, p, bits, shift)
				}
			})
		}
	}
}

func emulate[U key.Word](t *testing.T, exe string, in input, p plan.Problem, wantBits uint32, shift uint64) {
	caps := h200
	caps.ComputeUnits = 2
	pol, _ := policy(p, caps)
	pol.Mean = uint32((p.Items + 1<<wantBits - 1) >> wantBits)
	if in.name == "runs" || in.name == "many runs" {
		if p.Type.Bits() == 32 && wantBits == 16 {
			t.Skip("no bits are left below the 16")
		}
	}
	if bits(p.Items, pol) != wantBits {
		t.Fatalf("%d bits, want %d", bits(p.Items, pol), wantBits)
	}
	pl, err := build(p, caps, pol)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(p.Items, uint64(wantBits)))
	c := p.Codec()
	keys := make([]U, p.Items)
	width := uint32(p.Type.Bits())
	for i := range keys {
		image := in.image(r, i, len(keys), wantBits, width)
		if wantBits == maxBits && (in.name == "uniform" || in.name == "sorted but the last") {
			// Few of the many buckets, for time: 8 digits of each split.
			image &^= 0x1f1f << (width - 16)
		}
		keys[i] = key.Decode(c, U(image))
	}

	// Memory: red zone, the keys off by shift, red zone, scratch, red zone.
	const guard = 4096
	at := guard + shift*uint64(p.Type.Bytes())
	scratch := (at + p.KeyBytes() + guard + 511) / 512 * 512
	memory := make([]byte, scratch+pl.ScratchBytes+guard)
	for i := range memory {
		memory[i] = 0xe9
	}
	copy(memory[at:], unsafe.Slice((*byte)(unsafe.Pointer(&keys[0])), p.KeyBytes()))
	dir := t.TempDir()
	var text strings.Builder
	place := func(r plan.Ref) uint64 {
		if r.Region == plan.Scratch {
			return scratch + r.Off
		}
		return at + r.Off
	}
	for _, s := range pl.Steps {
		if s.Op == plan.OpMemset {
			fmt.Fprintf(&text, "set %d %d %d\n", place(s.Dst), s.Bytes, s.Pattern)
			continue
		}
		fmt.Fprintf(&text, "run %s %d %d %d", s.Kernel.Symbol, s.Grid[0], s.Block[0], s.SharedBytes)
		for _, a := range s.Args {
			if a.IsRef {
				fmt.Fprintf(&text, " @%d", place(a.Ref))
			} else {
				fmt.Fprintf(&text, " %d", a.Val)
			}
		}
		text.WriteString("\n")
	}
	steps, file := filepath.Join(dir, "plan"), filepath.Join(dir, "memory")
	if err := os.WriteFile(steps, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, memory, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(exe, steps, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range got {
		inKeys := uint64(i) >= at && uint64(i) < at+p.KeyBytes()
		inScratch := uint64(i) >= scratch && uint64(i) < scratch+pl.ScratchBytes
		if !inKeys && !inScratch && b != 0xe9 {
			t.Fatalf("byte %d was written: keys from %d, scratch from %d, %d bytes", i, at, scratch, pl.ScratchBytes)
		}
	}
	out := make([]U, p.Items)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes()), got[at:])
	if err := verify.Keys(keys, out, c); err != nil {
		t.Error(err)
	}
	state := unsafe.Slice((*uint32)(unsafe.Pointer(&got[scratch])), stateBytes/4)
	if state[0] != in.route {
		t.Errorf("route %d, want %d; state %v", state[0], in.route, state)
	}
	if (state[4] != 0) != in.slow {
		t.Errorf("%d slow buckets, want some: %v", state[4], in.slow)
	}
}
