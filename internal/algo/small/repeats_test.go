package small

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// spread is value x of `of`, over all 64 bits, as bits of both halves.
func spread(x, of uint64) uint64 { return x * (math.MaxUint32 / of) * 0x0000_0001_0000_0001 }

// repeats are inputs of parts whose overfull bins have one value each, or few bins of more keys than one is compared with, or almost.
var repeats = []input{
	{"300 values", func(r *rand.Rand, i, n int) uint64 { return spread(r.Uint64()%300, 300) }},
	{"300 values but for one key", func(r *rand.Rand, i, n int) uint64 {
		x := r.Uint64() % 300
		if i == n/2 {
			return spread(x, 300) + 1<<32 + 1
		}
		return spread(x, 300)
	}},
	{"300 values but for the last key", func(r *rand.Rand, i, n int) uint64 {
		x := r.Uint64() % 300
		if i == n-1 {
			return spread(7, 300) + 1<<32 + 1
		}
		return spread(x, 300)
	}},
	{"runs of 32", func(r *rand.Rand, i, n int) uint64 {
		return uint64(i/32) * 0x9e37_79b9_7f4a_7c15 >> 32 * 0x0000_0001_0000_0001
	}},
	{"120 of each in some bins", func(r *rand.Rand, i, n int) uint64 {
		if i%7 == 0 {
			return spread(uint64(i/840), uint64(n/840+1)) + r.Uint64()%3*0x0000_0001_0000_0001
		}
		return r.Uint64() >> 32 * 0x0000_0001_0000_0001
	}},
}

// TestRepeatsEmulated sorts parts with overfull bins in grids.
func TestRepeatsEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	turn := 0
	for _, p := range []plan.Problem{
		{Type: key.F64, Order: key.Order{Desc: true, NaNLast: true}}, {Type: key.I64, Mode: plan.Pairs, ValueBytes: 4},
		{Type: key.U64, Mode: plan.Argsort, ValueBytes: 8}, {Type: key.U32, Order: key.Order{Desc: true}}, {Type: key.U32, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.I16},
	} {
		for _, in := range repeats {
			p, c := p, h200
			c.ComputeUnits = 3 + turn%3
			p.Items = uint64(20000 + turn*37)
			emulateProblem(t, exe, planGrid, p, c, in, turn)
			turn++
		}
	}
}

// TestGridPath: what a grid notes that it did. Uniform keys that repeat every 1,024 places, as ascending runs do, go the path of random ones: the
// sample shows them all.
func TestGridPath(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	const period = 1024
	random := input{"random", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }}
	saw := input{"saw", func(r *rand.Rand, i, _ int) uint64 {
		return (uint64(i%period)*(math.MaxUint32/period) + r.Uint64()%(math.MaxUint32/period)) * 0x0000_0001_0000_0001
	}}
	skewed := input{"skewed", func(r *rand.Rand, _, _ int) uint64 { return ands(r, 4) ^ ands(r, 4)>>32 }}
	few := input{"few bits", func(r *rand.Rand, _, _ int) uint64 { return ands(r, 3) >> 44 }}
	equal := input{"equal", func(*rand.Rand, int, int) uint64 { return 0x7777_7777_7777_7777 }}
	for turn, k := range []struct {
		in    input
		units int
		items uint64
		want  uint64
	}{
		{random, 132, 1 << 20, layout.GridPathBins},
		{saw, 132, 1 << 20, layout.GridPathBins},
		{random, 40, 30_000, layout.GridPathBins},
		{skewed, 40, 30_000, layout.GridPathMerged},
		{skewed, 20, 20 * 3000, layout.GridPathPasses}, // too many for a block to merge
		{skewed, 7, 7 * 3000, layout.GridPathPasses},   // nor is a sample of fewer than 256 keys split by
		{few, 40, 30_000, layout.GridPathPasses},
		{equal, 5, 9000, 0}, // kPathEqual
	} {
		for _, ty := range []key.Type{key.U32, key.U64} {
			for _, mode := range []plan.Mode{plan.Keys, plan.Argsort} {
				p, c := plan.Problem{Type: ty, Mode: mode, Items: k.items}, h200
				if mode == plan.Argsort {
					p.ValueBytes = 4
				}
				if c.ComputeUnits = k.units; testing.Short() && k.items > 1<<17 && (mode == plan.Argsort || ty == key.U32 || k.in.name == "saw") {
					continue
				}
				want := k.want
				if want == layout.GridPathMerged && ty == key.U32 {
					want = layout.GridPathPasses // four digits at most
				}
				t.Run(fmt.Sprintf("%s/%v/mode=%v/n=%d", k.in.name, ty, mode, k.items), func(t *testing.T) {
					if got := gridPath(t, exe, p, c, k.in, turn); got != want {
						t.Errorf("path %d, not %d", got, want)
					}
				})
			}
		}
	}
}
