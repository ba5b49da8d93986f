package search

import (
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

// TestEmulated runs the CUDA kernels on the host.
func TestEmulated(t *testing.T) {
	for _, target := range []string{"SM_90", "PTX"} {
		if testing.Short() && target == "PTX" {
			continue // the same kernels with narrower blocks: compiled for as long again
		}
		searches(t, caps, kerneltest.Build(t, "search", target).Together(t, 2), types)
	}
}

// TestDevice searches on every device that is here, a processor's also by groups as other devices have, with
// as little local memory as they may have.
func TestDevice(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		run := r.RunRegions
		searches(t, c, run, types)
		if c.CPU {
			of := types
			if testing.Short() {
				of = types[2:]
			}
			c.CPU, c.MaxThreadsPerBlock, c.SharedPerBlock = false, 96, 16<<10
			searches(t, c, run, of)
		}
	})
}

// TestLocalTop: the top fits the local memory with what lies between its samples.
func TestLocalTop(t *testing.T) {
	for _, c := range []struct{ local, top, bytes, want uint64 }{
		{0, 8192, 4, 8192}, {48 << 10, 8192, 4, 8192}, {32 << 10, 8192, 4, 4096}, {32 << 10, 4096, 8, 2048},
		{32 << 10, 8192, 2, 8192}, {16 << 10, 8192, 4, 2048},
	} {
		if got := localTop(driver.Caps{SharedPerBlock: c.local}, c.top, c.bytes); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// searches looks for queries without samples, with one level of them and with more, with ties,
// queries between keys and outside of them.
func searches(t *testing.T, c driver.Caps, run runner, types []key.Type) {
	turn := 0
	for _, n := range []int{0, 1, 2, 3, 4, 5, 31, 4095, 4096, 4097, 8192, 8193, 16385, 40_000, 262_143, 262_145, 70_001, 300_007} {
		for _, ty := range types {
			// Each type has its turn with each form.
			turn++
			mix := turn + turn/len(types)
			if n > 20_000 && mix%3 != 0 {
				continue
			}
			queries := []int{1, 100, 3000, 1025}[turn%4]
			one(t, run, c, plan.Problem{
				Kind: op.Search, Type: ty, Mode: op.Argsort, ValueBytes: 4 + 4*(mix%2), Items: uint64(queries), Other: uint64(n),
				Order: key.Order{Desc: mix%5 < 2},
			}, uint64(turn))
		}
	}
}

// runner runs a plan on regions at shifts and returns the scratch memory.
type runner func(plan.Plan, kerneltest.Regions, kerneltest.Shifts) []byte

func one(t *testing.T, run runner, c driver.Caps, p plan.Problem, seed uint64) {
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
	pl, err := Plan(p, c, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	bytes := uint64(p.Type.Bytes())
	data := kerneltest.Regions{kerneltest.Pack(queries, int(bytes)), make([]byte, p.ValuesBytes()), kerneltest.Pack(sorted, int(bytes))}
	run(pl, data, kerneltest.Shifts{bytes * (seed % 3), uint64(p.ValueBytes) * (seed % 2), bytes * (seed % 5)})
	if got := kerneltest.Pack(want, p.ValueBytes); !slices.Equal(got, data[plan.ValuesIO]) {
		for i := range want {
			if w := got[i*p.ValueBytes:][:p.ValueBytes]; !slices.Equal(w, data[plan.ValuesIO][i*p.ValueBytes:][:p.ValueBytes]) {
				t.Fatalf("%+v: query %d: %v, want %d", p, i, data[plan.ValuesIO][i*p.ValueBytes:][:p.ValueBytes], want[i])
			}
		}
	}
}
