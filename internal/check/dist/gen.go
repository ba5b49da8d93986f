package dist

import (
	"math"
	"math/bits"

	"github.com/gpusort/gpusort/internal/key"
)

// gen is what a row's fill function draws from: the problem, a random stream,
// and maps from abstract values to bit patterns of the key type.
type gen struct {
	t    key.Type
	n    uint64 // keys in the whole input
	seed uint64
	step uint64 // width of one position's slot in the sorted sequence
	s    uint64 // state of the stream

	mask    uint64 // the key's bits
	half    uint   // half the key's width in bits
	float   bool
	numbers uint64 // floats: patterns that are no NaN
	nans    uint64 // floats: NaN patterns
}

func newGen(t key.Type, n, seed uint64) *gen {
	w := uint(t.Bits())
	g := &gen{
		t: t, n: n, seed: mix(seed + 0x5851f42d4c957f2d),
		step: math.MaxUint64 / max(n, 1),
		mask: math.MaxUint64 >> (64 - w), half: w / 2,
		float: t.Row().Kind == key.Float,
	}
	switch t {
	case key.F32:
		g.nans = 2 * (1<<23 - 1)
		g.numbers = 1<<32 - g.nans
	case key.F64:
		g.nans = 2 * (1<<52 - 1)
		g.numbers = -g.nans
	}
	return g
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014; constants:
// Stafford's variant 13).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// golden is 2^64 divided by the golden ratio, made odd: SplitMix64's stride.
const golden = 0x9e3779b97f4a7c15

// seek puts the stream at the start of a block.
func (g *gen) seek(block uint64) { g.s = mix(g.seed ^ mix(block+golden)) }

// next returns 64 random bits.
func (g *gen) next() uint64 {
	g.s += golden
	return mix(g.s)
}

// below returns a random number in [0, m). Its bias is below m/2^64.
func (g *gen) below(m uint64) uint64 {
	hi, _ := bits.Mul64(g.next(), m)
	return hi
}

// fixed returns random bits that belong to the whole input: equal for every
// block, different for every tag.
func (g *gen) fixed(tag uint64) uint64 { return mix(g.seed ^ mix(tag*golden+1)) }

// frac maps a fraction f/2^64 to the key type's range without NaN, keeping the
// order: 0 is the least key, 2^64 − 1 the greatest.
func (g *gen) frac(f uint64) uint64 {
	if g.float {
		i, _ := bits.Mul64(f, g.numbers)
		if g.t == key.F32 {
			return uint64(key.Decode(key.CodecFloatNaNFirst, uint32(i+g.nans)))
		}
		return key.Decode(key.CodecFloatNaNFirst, i+g.nans)
	}
	f >>= 64 - 2*g.half
	if g.t.Row().Kind == key.Signed {
		f ^= 1 << (2*g.half - 1)
	}
	return f
}

// at returns the key at position i of a sorted input: each position has its
// own slot of the range and a random place in it.
func (g *gen) at(i uint64) uint64 {
	hi, _ := bits.Mul64(g.next(), g.step)
	return g.frac(i*g.step + hi)
}

// count maps a number r ≤ limit to the key of that value, keeping the order.
// Where limit passes the type's greatest value, the counts are scaled down.
func (g *gen) count(r, limit uint64) uint64 {
	top := g.mask
	switch {
	case g.t == key.F32:
		return uint64(math.Float32bits(float32(r)))
	case g.t == key.F64:
		return math.Float64bits(float64(r))
	case g.t.Row().Kind == key.Signed:
		top >>= 1
	}
	if limit > top {
		hi, lo := bits.Mul64(r, top)
		r, _ = bits.Div64(hi, lo, limit)
	}
	return r
}
