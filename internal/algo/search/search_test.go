package search

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

// TestEmulated runs the CUDA kernels on the host: without samples, with one level of them
// and with more, with ties, queries between keys and outside of them.
func TestEmulated(t *testing.T) {
	for _, target := range []string{"SM_90", "PTX"} {
		exe := kerneltest.Build(t, "search", target)
		turn := 0
		for _, n := range []int{0, 1, 2, 3, 4, 5, 31, 4095, 4096, 4097, 8192, 8193, 16385, 40_000, 262_143, 262_145, 70_001, 300_007} {
			for _, ty := range []key.Type{key.U8, key.I16, key.U32, key.F32, key.I64, key.F64} {
				if turn++; n > 20_000 && turn%3 != 0 {
					continue
				}
				queries := []int{1, 100, 3000, 1025}[turn%4]
				p := plan.Problem{
					Kind: op.Search, Type: ty, Mode: op.Argsort, ValueBytes: 4 + 4*(turn%2), Items: uint64(queries), Other: uint64(n),
					Order: key.Order{Desc: turn%3 == 0},
				}
				t.Run(fmt.Sprintf("%s/%v/%d in %d", target, ty, queries, n), func(t *testing.T) {
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
	draw := func(n uint64) []uint64 {
		x := make([]uint64, n)
		for i := range x {
			if x[i] = r.Uint64() >> (64 - p.Type.Bits()); seed%2 == 0 {
				x[i] %= 1000 // ties
			}
		}
		return x
	}
	sorted, queries := draw(p.Other), draw(p.Items)
	kerneltest.Ordered(r, p.Type, p.Order, sorted)
	slices.SortFunc(sorted, func(a, b uint64) int { return kerneltest.Compare(p.Type, p.Order, a, b) })
	want := make([]uint64, len(queries))
	for i, q := range queries {
		at, _ := slices.BinarySearchFunc(sorted, q, func(a, b uint64) int { return kerneltest.Compare(p.Type, p.Order, a, b) })
		want[i] = uint64(at)
	}
	pl, err := Plan(p, caps, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	bytes := uint64(p.Type.Bytes())
	data := kerneltest.Regions{kerneltest.Pack(queries, p.Type.Bytes()), make([]byte, p.ValuesBytes()), kerneltest.Pack(sorted, p.Type.Bytes())}
	run(pl, data, kerneltest.Shifts{bytes * (seed % 3), uint64(p.ValueBytes) * (seed % 2), bytes * (seed % 5)})
	if got := kerneltest.Pack(want, p.ValueBytes); !slices.Equal(got, data[plan.ValuesIO]) {
		for i := range want {
			if w := got[i*p.ValueBytes:][:p.ValueBytes]; !slices.Equal(w, data[plan.ValuesIO][i*p.ValueBytes:][:p.ValueBytes]) {
				t.Fatalf("query %d: %v, want %d", i, data[plan.ValuesIO][i*p.ValueBytes:][:p.ValueBytes], want[i])
			}
		}
	}
}
