package small

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// uneven inputs are integers of 64 bits that are unevenly spread: over all their bits, within digits that are not, in
// few values.
var uneven = []input{
	{"entropy 0.544", func(r *rand.Rand, i, n int) uint64 { return ands(r, 3) }},
	{"entropy 0.201", func(r *rand.Rand, i, n int) uint64 { return ands(r, 5) }},
	{"entropy 0.544, ones", func(r *rand.Rand, i, n int) uint64 { return ^ands(r, 3) }},
	// Uniform top digits, overfull bins of different keys, and of equal ones.
	{"entropy 0.201 below uniform digits", func(r *rand.Rand, i, n int) uint64 { return r.Uint64()<<56 | ands(r, 5)>>8 }},
	{"100 values", func(r *rand.Rand, i, n int) uint64 { return (1 + r.Uint64()%100) * 0x9e37_79b9_7f4a_7c15 }},
	// One value of ten: too many to fit a digit, too few for the sample's probe.
	{"a tenth equal", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%10 == 0 {
			return 0x0101_0101_0101_0101
		}
		return ands(r, 3)
	}},
	// Each fills more than a digit may have, and the sample misses the other, which has no number.
	{"three values and another", func(r *rand.Rand, i, n int) uint64 {
		if i == n/2 {
			return r.Uint64()
		}
		return (1 + r.Uint64()%3) * 0x9e37_79b9_7f4a_7c15
	}},
	// The least and the largest key among few.
	{"15 values and the ends", func(r *rand.Rand, i, n int) uint64 {
		switch v := r.Uint64() % 17; v {
		case 15:
			return 0
		case 16:
			return ^uint64(0)
		default:
			return (1 + v) * 0x9e37_79b9_7f4a_7c15
		}
	}},
	// Uniform top digits, of which a part has few keys.
	{"200 values", func(r *rand.Rand, i, n int) uint64 { return (1 + r.Uint64()%200) * 0x9e37_79b9_7f4a_7c15 }},
	// Half are equal, the rest differ.
	{"half equal", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%2 == 0 {
			return 0x0101_0101_0101_0101
		}
		return r.Uint64()
	}},
	{"two values", func(r *rand.Rand, i, n int) uint64 { return 0x3b3b_3b3b_3b3b_3b3b ^ -(r.Uint64() & 1) }},
	// Overfull bins of different keys in uniform digits, and in uneven ones.
	{"30 overfull bins", func(r *rand.Rand, i, n int) uint64 { return nearOneOf(r, 30) }},
	{"entropy 0.201 and 8 overfull bins", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%4 == 0 {
			return nearOneOf(r, 8)
		}
		return ands(r, 5)
	}},
	// Digits that hang together.
	{"digits by digits", func(r *rand.Rand, i, n int) uint64 { return prefix(r, 0x5555_5555_5555_5555) }},
}

// nearOneOf returns a key near one of so many values.
func nearOneOf(r *rand.Rand, values uint64) uint64 {
	return (1+r.Uint64()%values)*0x9e37_79b9_7f4a_7c15&^0xffff | r.Uint64()&0xffff
}

// TestUnevenEmulated sorts them by grids.
func TestUnevenEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	forms := []plan.Problem{
		{Type: key.U64}, {Type: key.U64, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.I64, Order: key.Order{Desc: true}},
		{Type: key.U64, Mode: plan.Argsort, ValueBytes: 8}, {Type: key.I64, Mode: plan.Pairs, ValueBytes: 8, Order: key.Order{Desc: true}},
		{Type: key.F64},
	}
	for i, in := range uneven {
		for j, p := range forms {
			if (i+j)%2 != 0 {
				continue // half of all
			}
			pol, _ := policy(p, h200)
			device := h200
			device.ComputeUnits = 5
			p.Items = 5*uint64(pol.GridThreads*pol.GridItems)/8*7 - uint64(j)
			emulateProblem(t, exe, planGrid, p, device, in, i)
		}
	}
}
