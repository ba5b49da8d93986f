package mergeruns

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

var caps = kerneltest.Emulated("SM_90")

// TestEmulated runs the CUDA kernels on the host: runs of any two lengths, with ties, one of
// them all less, one of them empty.
func TestEmulated(t *testing.T) {
	for _, target := range []string{"SM_90", "PTX"} {
		exe := kerneltest.Build(t, "mergeruns", target)
		turn := 0
		for _, n := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {2, 3}, {2303, 1}, {2304, 0}, {1000, 1305}, {3839, 1}, {3000, 841}, {20_000, 30_001}, {1, 9000}} {
			for _, ty := range []key.Type{key.U8, key.I16, key.U32, key.F32, key.I64, key.F64} {
				turn++
				p := plan.Problem{Kind: op.Merge, Type: ty, Items: uint64(n[0]), Other: uint64(n[1]), Order: key.Order{Desc: turn%3 == 0}}
				t.Run(fmt.Sprintf("%s/%v/%d and %d", target, ty, n[0], n[1]), func(t *testing.T) {
					one(t, p, uint64(turn), func(pl plan.Plan, data kerneltest.Regions, shifts kerneltest.Shifts) {
						exe.RunRegions(t, pl, data, shifts, func(string) int { return 2 })
					})
				})
			}
		}
	}
}

func one(t *testing.T, p plan.Problem, seed uint64, run func(plan.Plan, kerneltest.Regions, kerneltest.Shifts)) {
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
	pl, err := Plan(p, caps, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	width := p.Type.Bytes()
	data := kerneltest.Regions{kerneltest.Pack(a, width), kerneltest.Pack(b, width), make([]byte, len(want)*width)}
	bytes := uint64(width)
	run(pl, data, kerneltest.Shifts{bytes * (seed % 3), bytes * (seed % 2), bytes * (seed % 5)})
	for i, w := range want {
		if got := data[op.OtherIO][i*width:][:width]; !slices.Equal(got, kerneltest.Pack([]uint64{w}, width)) {
			t.Fatalf("key %d is %x, want %x", i, got, kerneltest.Pack([]uint64{w}, width))
		}
	}
}

// TestUnordered: runs that are in no order give something, and nothing is read or written
// outside of the regions.
func TestUnordered(t *testing.T) {
	exe := kerneltest.Build(t, "mergeruns", "SM_90")
	for seed := range uint64(6) {
		p := plan.Problem{Kind: op.Merge, Type: key.U64, Items: 20_000, Other: 9000 * seed}
		r := rand.New(rand.NewPCG(seed, 1))
		draw := func(n uint64) []byte {
			x := make([]uint64, n)
			for i := range x {
				x[i] = r.Uint64()
			}
			return kerneltest.Bytes(x)
		}
		pl, err := Plan(p, caps, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]byte, (p.Items+p.Other)*8)
		exe.RunRegions(t, pl, kerneltest.Regions{draw(p.Items), draw(p.Other), out}, kerneltest.Shifts{}, func(string) int { return 2 })
	}
}
