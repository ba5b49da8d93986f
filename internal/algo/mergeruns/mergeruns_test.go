package mergeruns

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

var caps = kerneltest.Emulated("SM_90")

// types are of every width, the wide ones last.
var types = []key.Type{key.U8, key.I16, key.U32, key.F32, key.I64, key.F64}

// runner runs a plan on regions at shifts and returns the scratch memory.
type runner func(plan.Plan, kerneltest.Regions, kerneltest.Shifts) []byte

func emulated(t *testing.T, target string) runner {
	return kerneltest.Build(t, "mergeruns", target).Together(t, 2)
}

// TestEmulated runs the CUDA kernels on the host.
func TestEmulated(t *testing.T) {
	for _, target := range []string{"SM_90", "PTX"} {
		if testing.Short() && target == "PTX" {
			continue // the same kernels with narrower blocks: compiled for as long again
		}
		merges(t, emulated(t, target), caps, types)
	}
	unordered(t, emulated(t, "SM_90"), caps)
}

// TestDevice merges on every device that is here, a processor's also by groups as other devices have.
func TestDevice(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		run := r.RunRegions
		merges(t, run, c, types)
		unordered(t, run, c)
		if !c.CPU {
			return
		}
		groups, of := []int{256, 100}, types // as planned, and the largest that lanes fill
		if testing.Short() {
			groups, of = groups[1:], types[2:]
		}
		for _, most := range groups {
			c.CPU, c.MaxThreadsPerBlock = false, most
			merges(t, run, c, of)
			unordered(t, run, c)
		}
	})
}

// merges merges runs of any two lengths, with ties, one of them all less, one of them empty.
func merges(t *testing.T, run runner, c driver.Caps, types []key.Type) {
	turn := 0
	for _, n := range [][2]int{
		{0, 1}, {1, 0}, {1, 1}, {2, 3}, {2303, 1}, {2304, 0}, {1000, 1305}, {3839, 1}, {4095, 2},
		{4351, 1}, {4352, 0}, {1000, 3353}, {6911, 1}, {6912, 0}, {3000, 3913}, {20_000, 30_001}, {1, 9000},
	} {
		for _, ty := range types {
			turn++
			mix := turn + turn/len(types) // each type has its turn with each form
			p := plan.Problem{Kind: op.Merge, Type: ty, Items: uint64(n[0]), Other: uint64(n[1]), Order: key.Order{Desc: mix%5 < 2}}
			one(t, run, c, p, uint64(mix))
		}
	}
}

func one(t *testing.T, run runner, c driver.Caps, p plan.Problem, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, p.Other))
	compare := func(a, b uint64) int { return kerneltest.Compare(p.Type, p.Order, a, b) }
	draw := func(n, above uint64) []uint64 {
		x := make([]uint64, n)
		for i := range x {
			switch x[i] = r.Uint64() >> (64 - p.Type.Bits()); seed % 3 {
			case 0:
				x[i] %= 50 // ties
			case 1:
				x[i] = x[i]%60 + above // one run before the other
			}
		}
		slices.SortFunc(x, compare)
		return x
	}
	a, b := draw(p.Items, 64), draw(p.Other, 0)
	want := append(slices.Clone(a), b...)
	slices.SortFunc(want, compare)
	pl, err := Plan(p, c, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	width := p.Type.Bytes()
	data := kerneltest.Regions{kerneltest.Pack(a, width), kerneltest.Pack(b, width), make([]byte, len(want)*width)}
	bytes := uint64(width)
	run(pl, data, kerneltest.Shifts{bytes * (seed % 3), bytes * (seed % 2), bytes * (seed % 5)})
	for i, w := range want {
		if got := data[op.OtherIO][i*width:][:width]; !slices.Equal(got, kerneltest.Pack([]uint64{w}, width)) {
			t.Fatalf("%+v: key %d is %x, want %x", p, i, got, kerneltest.Pack([]uint64{w}, width))
		}
	}
}

// unordered: runs that are in no order give keys of theirs, and nothing is written outside of
// the regions.
func unordered(t *testing.T, run runner, c driver.Caps) {
	for i, other := range []uint64{0, 9000, 33_000, 40_000, 50_000, 60_000} {
		p := plan.Problem{Kind: op.Merge, Type: key.U64, Items: 40_000, Other: other}
		r := rand.New(rand.NewPCG(uint64(i), 1))
		known := map[uint64]bool{}
		draw := func(n uint64) []byte {
			x := make([]uint64, n)
			for i := range x {
				x[i] = r.Uint64()
				known[x[i]] = true
			}
			return kerneltest.Bytes(x)
		}
		pl, err := Plan(p, c, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]byte, (p.Items+p.Other)*8)
		run(pl, kerneltest.Regions{draw(p.Items), draw(p.Other), out}, kerneltest.Shifts{})
		for i := 0; i < len(out); i += 8 {
			if k := binary.NativeEndian.Uint64(out[i:]); !known[k] {
				t.Fatalf("%d and %d keys in no order: key %d is %x, which none of them is", p.Items, p.Other, i/8, k)
			}
		}
	}
}
