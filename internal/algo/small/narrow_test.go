package small

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// narrowInputs are unevenly spread keys of 32 bits.
var narrowInputs = []input{
	{"entropy 0.544", func(r *rand.Rand, _, _ int) uint64 { return ands(r, 3) >> 32 }},
	{"entropy 0.201, ones", func(r *rand.Rand, _, _ int) uint64 { return ^ands(r, 5) >> 32 }},
	{"magnitudes", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() >> 32 >> (r.Uint64() % 24) }},
	{"half equal", func(r *rand.Rand, _, _ int) uint64 {
		if r.Uint64()%2 == 0 {
			return 0x0101_0101
		}
		return ands(r, 3) >> 32
	}},
	{"overfull bins", func(r *rand.Rand, _, _ int) uint64 {
		return (1+r.Uint64()%30)*0x0789_abcd&0xffff_f000 | r.Uint64()&0xfff
	}},
	{"digits by digits", func(r *rand.Rand, _, _ int) uint64 { return prefix(r, 0x5555_5555_5555_5555) >> 32 }},
	// Padding is the largest key, as some are.
	{"largest", func(r *rand.Rand, _, _ int) uint64 {
		if r.Uint64()%3 == 0 {
			return 0xffff_ffff
		}
		return ands(r, 2) >> 32
	}},
}

// TestNarrowUnevenEmulated sorts them, blocks of which share the keys, with few keys a thread and with many.
func TestNarrowUnevenEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	forms := []plan.Problem{
		{Type: key.U32}, {Type: key.F32}, {Type: key.U32, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.I32, Order: key.Order{Desc: true}},
		{Type: key.F32, Mode: plan.Pairs, ValueBytes: 8}, {Type: key.U32, Mode: plan.Argsort, ValueBytes: 4}, {Type: key.F32, Order: key.Order{Desc: true}},
	}
	for i, in := range narrowInputs {
		for j, p := range forms {
			if testing.Short() && (i+j)%4 != 0 {
				continue
			}
			c := h200
			c.ComputeUnits = 33 + i
			p.Items = uint64(c.ComputeUnits*1024 - 900*(i%2) + j)
			emulateProblem(t, exe, planGrid, p, c, in, i)
			if (i+j)%3 == 0 {
				c.ComputeUnits = 9 + 57*(i%2)
				p.Items = uint64(c.ComputeUnits*8192 - 77*j - 1)
				emulateProblem(t, exe, planGrid, p, c, in, j)
			}
		}
	}
}

// TestFewNeighboursEmulated sorts few values by one block, of which some are neighbours, so that their bins have several.
func TestFewNeighboursEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	neighbours := func(r *rand.Rand) uint64 {
		at := r.Uint64()
		return (at % 5 * 0x2345_6789_2345_6789) ^ (at >> 8 % 3)
	}
	inputs := []input{
		{"neighbours", func(r *rand.Rand, _, _ int) uint64 { return neighbours(r) }},
		{"and the largest", func(r *rand.Rand, i, _ int) uint64 {
			if i%7 == 0 {
				return ^uint64(0) - uint64(i%2)
			}
			return neighbours(r)
		}},
		{"and some others at the end", func(r *rand.Rand, i, n int) uint64 {
			if n-i < 3 {
				return r.Uint64()
			}
			return neighbours(r)
		}},
	}
	for i, in := range inputs {
		for j, p := range []plan.Problem{
			{Type: key.U32}, {Type: key.U64}, {Type: key.F32}, {Type: key.U32, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.U64, Mode: plan.Argsort, ValueBytes: 4},
			{Type: key.I64, Mode: plan.Pairs, ValueBytes: 8, Order: key.Order{Desc: true}},
		} {
			p.Items = uint64(4096 - 700*i - 13*j)
			emulateProblem(t, exe, planBlock, p, h200, in, i)
		}
	}
}

// TestUnseenOverfullEmulated sorts pairs by one block a few of whose bins are overfull, which too few pairs of keys show.
func TestUnseenOverfullEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	inputs := []input{
		{"entropy 0.811", func(r *rand.Rand, _, _ int) uint64 { return ands(r, 2) >> 32 }},
		// One bin has forty of each of five values, and others.
		{"neighbours in one bin", func(r *rand.Rand, i, _ int) uint64 {
			if i%20 == 0 {
				return 0x7777_7000 + r.Uint64()%5
			}
			return r.Uint64() >> 32
		}},
	}
	for i, in := range inputs {
		for j, p := range []plan.Problem{
			{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.I32, Mode: plan.Argsort, ValueBytes: 4, Order: key.Order{Desc: true}},
			{Type: key.F32, Mode: plan.Pairs, ValueBytes: 8},
		} {
			p.Items = uint64(4096 - 300*i - 7*j)
			emulateProblem(t, exe, planBlock, p, h200, in, i+j)
		}
	}
}
