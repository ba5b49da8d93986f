package small

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// folded inputs are bit patterns of 64-bit floats that a model tells apart only if it sees natural,
// folded and, where mantissas are uniform, raised ones.
var folded = []input{
	{"small entropy, both signs", func(r *rand.Rand, i, n int) uint64 { return ands(r, 3) ^ r.Uint64()&(1<<63) }},
	{"small entropy", func(r *rand.Rand, i, n int) uint64 { return ands(r, 4) }},
	{"exponents about a carry", func(r *rand.Rand, i, n int) uint64 { return exponents(r, 1024) ^ r.Uint64()&(1<<63) }},
	{"negative ones about a carry", func(r *rand.Rand, i, n int) uint64 { return exponents(r, 1030) | 1<<63 }},
	// NaNs of either sign are outside of what the model sees, at one end or the other.
	{"and NaNs", func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%200 == 0 {
			return 0x7ff<<52 | r.Uint64()&(1<<63|1<<52-1) | 1
		}
		return ands(r, 3) ^ r.Uint64()&(1<<63)
	}},
	{"and both infinities and zeros", func(r *rand.Rand, i, n int) uint64 {
		switch r.Uint64() % 40 {
		case 0:
			return 0x7ff<<52 | r.Uint64()&(1<<63)
		case 1:
			return r.Uint64() & (1 << 63)
		}
		return exponents(r, 1024) ^ r.Uint64()&(1<<63)
	}},
}

// exponents returns a number with an exponent below that, most often by little, and a uniform mantissa.
func exponents(r *rand.Rand, below uint64) uint64 {
	return (below-uint64(r.ExpFloat64()*2))<<52 | r.Uint64()>>12
}

// TestFoldedEmulated sorts them in every order, by clusters with two keys a thread and by grids, whose
// digits are uniform then.
func TestFoldedEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	forms := []plan.Problem{
		{Type: key.F64}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 4, Order: key.Order{Desc: true}},
		{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8, Order: key.Order{NaNLast: true}},
		{Type: key.F64, Order: key.Order{NaNLast: true, Desc: true}},
	}
	for i, in := range folded {
		for j, p := range forms {
			pol, _ := policy(p, h200)
			p.Items = uint64(mostBlocks*pol.ClusterThreads)*2 - uint64(i*7+j)
			emulateProblem(t, exe, planCluster, p, h200, in, i)
			device := h200
			device.ComputeUnits = 32
			p.Items = 32*uint64(pol.GridThreads)*4 - uint64(i*31+j)
			t.Run(in.name, func(t *testing.T) {
				pl, err := planGrid(p, device, algo.Params{})
				if err != nil {
					t.Fatal(err)
				}
				scratch := emulate[uint64](t, exe, p, pl, in, i)
				if most := largestDigit(pl, scratch, int(p.Items)); most > int(p.Items)/20 {
					t.Errorf("the largest digit has %d of %d keys", most, p.Items)
				}
			})
		}
	}
}
