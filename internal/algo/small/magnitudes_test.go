package small

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// normal is a normal number, nearly: the sum of 16 uniform ones, about 2^63, with a deviation of about 2^56, so that two digits have all.
func normal(r *rand.Rand) uint64 {
	var sum uint64
	for range 16 {
		sum += r.Uint64() >> 4
	}
	return 1<<63 + uint64(int64(sum-1<<63)>>4)
}

// magnitudes are keys that orders of magnitude tell, given as they are, not as encoded keys.
var magnitudes = []struct {
	name   string
	floats bool
	key    func(r *rand.Rand, i, n int) uint64
}{
	{"one of 2^k", false, func(r *rand.Rand, i, n int) uint64 { return r.Uint64() >> (r.Uint64() % 64) }},
	{"one of 2^k below 2^20", false, func(r *rand.Rand, i, n int) uint64 { return r.Uint64() >> 44 >> (r.Uint64() % 20) }},
	{"the same, above equal bits", false, func(r *rand.Rand, i, n int) uint64 { return 0x7fff<<48 | r.Uint64()>>44>>(r.Uint64()%20)<<9 }},
	{"of either sign", false, func(r *rand.Rand, i, n int) uint64 { return uint64(int64(r.Uint64()) >> (r.Uint64() % 64)) }},
	{"at either end", false, func(r *rand.Rand, i, n int) uint64 { return r.Uint64()>>(r.Uint64()%64) ^ -(r.Uint64() % 2) }},
	{"19 of 20 zero", false, func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%20 != 0 {
			return 0
		}
		return r.Uint64()
	}},
	// The sample knows few of the bits that vary: keys lie between the values that it tells apart.
	{"few values, and between them", false, func(r *rand.Rand, i, n int) uint64 {
		v := (r.Uint64() % 16) << 40 >> (r.Uint64() % 8)
		if r.Uint64()%500 == 0 {
			v |= r.Uint64() >> 30
		}
		return v
	}},
	{"few overfull, and between them", false, func(r *rand.Rand, i, n int) uint64 {
		v := uint64(1) << (20 + r.Uint64()%30)
		if r.Uint64()%100 == 0 {
			v += r.Uint64() % 1000
		}
		return v
	}},
	{"about the middle", false, func(r *rand.Rand, i, n int) uint64 { return normal(r) }},
	{"about the middle, some nearer", false, func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%200 == 0 {
			return 1<<63 + uint64(int64(r.Uint64())>>(r.Uint64()%64))
		}
		return normal(r)
	}},
	{"about the ends, some nearer", false, func(r *rand.Rand, i, n int) uint64 {
		if r.Uint64()%200 == 0 {
			return uint64(int64(r.Uint64()) >> (r.Uint64() % 64))
		}
		return normal(r) ^ 1<<63
	}},
	{"leading zeros, ever fewer", false, func(r *rand.Rand, i, n int) uint64 { return r.Uint64() >> bits.TrailingZeros64(r.Uint64()) }},
	{"leading ones below 2^40, ever fewer", false, func(r *rand.Rand, i, n int) uint64 {
		return 1<<40 - 1 - r.Uint64()>>24>>bits.TrailingZeros64(r.Uint64())
	}},
	{"normal", true, func(r *rand.Rand, i, n int) uint64 { return math.Float64bits(r.NormFloat64()) }},
	{"1/x", true, func(r *rand.Rand, i, n int) uint64 { return math.Float64bits(math.Exp(1400 * (r.Float64() - 0.5))) }},
	{"whole numbers of either sign", true, func(r *rand.Rand, i, n int) uint64 {
		return math.Float64bits(float64(int64(r.Uint64()>>44>>(r.Uint64()%20)) * int64(1-2*(r.Uint64()%2))))
	}},
	{"whole ones, and between them", true, func(r *rand.Rand, i, n int) uint64 {
		v := float64(r.Uint64() >> 44 >> (r.Uint64() % 20))
		if r.Uint64()%300 == 0 {
			v += r.Float64()
		}
		return math.Float64bits(-v)
	}},
	{"zeros, infinities, NaNs, the smallest", true, func(r *rand.Rand, i, n int) uint64 {
		switch r.Uint64() % 8 {
		case 0:
			return math.Float64bits(math.Inf(int(r.Uint64()%2)*2 - 1))
		case 1:
			return 0x7ff0<<48 | r.Uint64()%2<<63 | r.Uint64()>>12
		case 2:
			return r.Uint64()%2<<63 | r.Uint64()%10
		case 3:
			return r.Uint64() % 2 << 63
		}
		return math.Float64bits(r.ExpFloat64())
	}},
	// Orders as of integers: NaNs differ, and have no order.
	{"far apart, with NaNs", true, func(r *rand.Rand, i, n int) uint64 {
		switch r.Uint64() % 16 {
		case 0, 1, 2:
			return 0xfff0<<48 | (1 + r.Uint64()>>13)
		case 3:
			return 0x7ff0<<48 | (1 + r.Uint64()>>13)
		case 4, 5, 6, 7, 8, 9:
			return r.Uint64()
		}
		return 0
	}},
	{"the last exponents", true, func(r *rand.Rand, i, n int) uint64 {
		return r.Uint64()%2<<63 | (2040+r.Uint64()%8)<<52 | r.Uint64()>>12
	}},
}

// magnitudeForms are what they are sorted as: integers, of which encoded keys are of all orders, or floats.
func magnitudeForms(floats bool) []plan.Problem {
	if floats {
		return []plan.Problem{
			{Type: key.F64}, {Type: key.F64, Order: key.Order{NaNLast: true}}, {Type: key.F64, Order: key.Order{Desc: true}},
			{Type: key.F64, Mode: plan.Argsort, ValueBytes: 4, Order: key.Order{NaNLast: true, Desc: true}}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 8},
		}
	}
	return []plan.Problem{
		{Type: key.U64}, {Type: key.I64}, {Type: key.I64, Mode: plan.Pairs, ValueBytes: 4, Order: key.Order{Desc: true}},
		{Type: key.U64, Mode: plan.Argsort, ValueBytes: 8}, {Type: key.U64, Order: key.Order{Desc: true}},
	}
}

// TestMagnitudesEmulated sorts them in one block, and in grids.
func TestMagnitudesEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	for i, in := range magnitudes {
		for j, p := range magnitudeForms(in.floats) {
			if testing.Short() && (i+j)%3 != 0 {
				continue // each input in one or two forms, by turns
			}
			p.Items = []uint64{1025, 1500, 2048, 3001, 4095, 4096}[(i+5*j)%6]
			emulateProblem(t, exe, planBlock, p, h200, input{in.name, in.key}, i+j)
			c := h200
			c.ComputeUnits = 5 + (i+j)%4
			p.Items = uint64(c.ComputeUnits)*[]uint64{1000, 2048, 5000, 8192}[(i+3*j)%4] - uint64(i+j)%3*(31*uint64(i)+17)
			emulateProblem(t, exe, planGrid, p, c, input{in.name, in.key}, i+j)
		}
	}
}
