package gather

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

var caps = driver.Caps{Backend: "cuda", Arch: 90, ComputeUnits: 2, WarpSize: 32, MaxThreadsPerBlock: 1024, SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10}

// TestEmulated runs the CUDA kernels on the host, for items of every width of words and for
// widths between, at places of every type, whatever they are aligned to.
func TestEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "gather", "SM_90")
	for _, width := range []int{1, 2, 3, 4, 8, 12, 16, 20, 32, 100} {
		for i, ty := range []key.Type{key.U8, key.I8, key.U16, key.I16, key.U32, key.I32, key.U64, key.I64} {
			length := min([]int{1, 120, 5000}[(i+width)%3], 1<<min(ty.Bits()-1, 30))
			n := []int{1, 1023, 4097, 0}[(i+width/2)%4]
			t.Run(fmt.Sprintf("%d/%v/%d of %d", width, ty, n, length), func(t *testing.T) {
				p := plan.Problem{Kind: op.Gather, Type: ty, Items: uint64(n), Other: uint64(length), Width: width}
				r := rand.New(rand.NewPCG(uint64(width), uint64(i)))
				places := make([]uint64, n)
				for j := range places {
					places[j] = uint64(r.IntN(length))
				}
				status := run(t, exe, p, places, kerneltest.Shifts{uint64(ty.Bytes() * (i % 3)), uint64(width * (i % 2)), uint64(width * (i % 5))}, r)
				if status != 0 {
					t.Fatalf("refused with code %d", status)
				}
			})
		}
	}
}

// run gathers and compares with a loop; places outside keep what is there. It returns the status code.
func run(t *testing.T, exe kerneltest.Emulator, p plan.Problem, places []uint64, shifts kerneltest.Shifts, r *rand.Rand) uint32 {
	t.Helper()
	pl, err := Plan(p, caps, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	source, out := make([]byte, int(p.Other)*p.Width), bytes.Repeat([]byte{7}, len(places)*p.Width)
	for i := range source {
		source[i] = byte(r.Uint32())
	}
	want := bytes.Clone(out)
	for i, at := range places {
		if at < p.Other {
			copy(want[i*p.Width:(i+1)*p.Width], source[int(at)*p.Width:])
		}
	}
	scratch, _ := exe.RunRegions(t, pl, kerneltest.Regions{kerneltest.Pack(places, p.Type.Bytes()), source, out}, shifts, func(string) int { return 2 })
	for i := range want {
		if out[i] != want[i] {
			t.Fatalf("byte %d of item %d is %d, want %d", i%p.Width, i/p.Width, out[i], want[i])
		}
	}
	if len(places) == 0 {
		return 0
	}
	return binary.NativeEndian.Uint32(scratch[pl.Status.At.Off:])
}

// TestRefused: a place outside the source is told, and neither read nor written for.
func TestRefused(t *testing.T) {
	exe := kerneltest.Build(t, "gather", "SM_90")
	for _, c := range []struct {
		t     key.Type
		other uint64
		place uint64
	}{
		{key.U32, 100, 100}, {key.I32, 100, 1<<32 - 1}, {key.U64, 100, 1 << 63}, {key.I64, 100, 1<<64 - 5}, {key.U8, 100, 255},
		{key.I8, 300, 255}, {key.I16, 70000, 1<<16 - 1},
	} {
		p := plan.Problem{Kind: op.Gather, Type: c.t, Items: 50, Other: c.other, Width: 8}
		places := make([]uint64, 50)
		places[17] = c.place
		r := rand.New(rand.NewPCG(1, c.place))
		if c.t == key.I8 || c.t == key.I16 { // negative, though the bits alone are a place
			places[17] = c.place
			pl, err := Plan(p, caps, algo.Params{})
			if err != nil {
				t.Fatal(err)
			}
			scratch, _ := exe.RunRegions(t, pl, kerneltest.Regions{kerneltest.Pack(places, c.t.Bytes()), make([]byte, c.other*8), make([]byte, 400)}, kerneltest.Shifts{}, func(string) int { return 1 })
			if code := binary.NativeEndian.Uint32(scratch[pl.Status.At.Off:]); code != 1 {
				t.Errorf("%v: place -1: code %d, want 1", c.t, code)
			}
			continue
		}
		if code := run(t, exe, p, places, kerneltest.Shifts{}, r); code != 1 {
			t.Errorf("%v: place %d: code %d, want 1", c.t, c.place, code)
		}
	}
}
