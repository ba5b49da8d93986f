package small

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
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

// TestRepeatsEmulated sorts parts with overfull bins in grids, whose parts lie in the L2, and clusters, where they lie in shared memory.
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
			p.Items = uint64(9000 + turn*37)
			emulateProblem(t, exe, planCluster, p, h200, in, turn)
			turn++
		}
	}
}

// TestFewValuesEmulated sorts up to 120 values, which grids number by what their sample has, and others that look so: the largest encoded key, NaNs
// and keys that the sample misses among them.
func TestFewValuesEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	of := func(values uint64, stray func(r *rand.Rand, i, n int) (uint64, bool)) func(r *rand.Rand, i, n int) uint64 {
		return func(r *rand.Rand, i, n int) uint64 {
			x := r.Uint64() % values
			if stray != nil {
				if k, ok := stray(r, i, n); ok {
					return k
				}
			}
			// In one digit of the highest 8 bits but for the largest: these do not split them.
			return x*0x0001_2345_0001_2345 | 1<<56 | 1<<24
		}
	}
	inputs := []input{
		{"2 values", of(2, nil)},
		{"20 values", of(20, nil)},
		{"35 values", of(35, nil)},
		{"one value but for some", of(1, func(r *rand.Rand, i, n int) (uint64, bool) { return r.Uint64(), r.Uint64()%400 == 0 })},
		{"20 values and the largest", of(20, func(r *rand.Rand, i, n int) (uint64, bool) { return math.MaxUint64, r.Uint64()%9 == 0 })},
		{"20 values and the smallest", of(20, func(r *rand.Rand, i, n int) (uint64, bool) { return 0, r.Uint64()%9 == 0 })},
		{"20 values but for the last key", of(20, func(r *rand.Rand, i, n int) (uint64, bool) { return 1 << 62, i == n-1 })},
		{"20 values but for one key", of(20, func(r *rand.Rand, i, n int) (uint64, bool) { return 77, i == n/2 })},
		{"20 values and 1 in 50", of(20, func(r *rand.Rand, i, n int) (uint64, bool) { return r.Uint64(), r.Uint64()%50 == 0 })},
	}
	turn := 0
	for _, p := range []plan.Problem{
		{Type: key.F64, Order: key.Order{NaNLast: true}}, {Type: key.I64, Mode: plan.Pairs, ValueBytes: 8, Order: key.Order{Desc: true}},
		{Type: key.U32}, {Type: key.F32, Mode: plan.Pairs, ValueBytes: 4, Order: key.Order{Desc: true}},
	} {
		for i, in := range inputs {
			p, c := p, h200
			c.ComputeUnits = 34 + turn%3 // so many blocks leave 1,024 keys
			p.Items = uint64(35*1024 + turn*41)
			if p.Type.Bits() == 32 { // and so many, of 8 each
				if i%3 != int(p.Mode)%2 {
					continue
				}
				c.ComputeUnits = 129
				p.Items = uint64(128*1024 + turn)
			}
			emulateProblem(t, exe, planGrid, p, c, in, turn)
			turn++
		}
	}
}

// TestPeriodsEmulated sorts uniform keys that repeat every 1,024 places, as ascending runs do: the sample shows them all, so that they go
// the path of random ones. And few values pass once, by the barriers, where many skewed ones pass by each digit.
func TestPeriodsEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	random := input{"random", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }}
	skewed := input{"skewed", func(r *rand.Rand, _, _ int) uint64 { return ands(r, 3) >> 32 * (1<<32 + 1) }}
	few := input{"few", func(r *rand.Rand, _, _ int) uint64 { return (1 + r.Uint64()%3) * 0x0123_4567_0123_4567 }}
	for _, p := range []plan.Problem{{Type: key.U32}, {Type: key.U64}} {
		c := h200
		c.ComputeUnits = 132
		p.Items = 1 << 20 // eight keys a thread, or sixteen: a warp has 256 or 512 neighbours
		uniform := barriersOf(t, exe, planGrid, p, c, random, 0)
		const period = 1024
		t.Run(fmt.Sprintf("%v/mode=%v", p.Type, p.Mode), func(t *testing.T) {
			saw := input{"saw", func(r *rand.Rand, i, _ int) uint64 {
				return (uint64(i%period)*(math.MaxUint32/period) + r.Uint64()%(math.MaxUint32/period)) * 0x0000_0001_0000_0001
			}}
			if held := barriersOf(t, exe, planGrid, p, c, saw, 0); !slices.Equal(held, uniform) {
				t.Errorf("%d barriers, %d of random keys", held, uniform)
			}
		})
		c.ComputeUnits = 36
		p.Items = 36*2048 - 100
		if once, often := barriersOf(t, exe, planGrid, p, c, few, 0), barriersOf(t, exe, planGrid, p, c, skewed, 0); once[0] >= often[0] {
			t.Errorf("%v: few values take %d barriers, skewed ones %d", p.Type, once, often)
		}
	}
}
