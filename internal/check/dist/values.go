package dist

import (
	"math"
	"math/bits"

	"github.com/gpusort/gpusort/internal/key"
)

// The rows that shape values and leave their order to chance.

func uniform(g *gen, _ uint64, out []uint64) {
	if !g.float { // no map needed: one mix a key
		for i := range out {
			out[i] = g.next()
		}
		return
	}
	for i := range out {
		out[i] = g.frac(g.next())
	}
}

func constant(g *gen, _ uint64, out []uint64) {
	v := g.count(42, 42)
	for i := range out {
		out[i] = v
	}
}

func zipf(g *gen, _ uint64, out []uint64) {
	octaves := min(20, uint64(2*g.half-1))
	for i := range out {
		out[i] = g.count(g.rank(octaves), 1<<octaves)
	}
}

// distinct draws from m keys that the seed chooses; for types of 8 bits some
// of them may coincide.
func distinct(m uint64) func(*gen, uint64, []uint64) {
	return func(g *gen, _ uint64, out []uint64) {
		keys := make([]uint64, m)
		for i := range keys {
			slot := math.MaxUint64 / m
			hi, _ := bits.Mul64(g.fixed(uint64(i)), slot)
			keys[i] = g.frac(uint64(i)*slot + hi)
		}
		for i := range out {
			out[i] = keys[g.below(m)]
		}
	}
}

// byteValues draws what a byte can hold, whatever the key's width.
func byteValues(g *gen, _ uint64, out []uint64) {
	for i := range out {
		out[i] = g.count(g.below(256), 255)
	}
}

// entropy is the bitwise AND of k uniform words, all zero for k = 0
// (Thearling & Smith, "An improved supercomputer sorting benchmark", 1992).
// The number in the row's name is the entropy of one bit: that of 2^−k.
func entropy(k int) func(*gen, uint64, []uint64) {
	return func(g *gen, _ uint64, out []uint64) {
		for i := range out {
			v := uint64(0)
			if k > 0 {
				v = g.next()
			}
			for range k - 1 {
				v &= g.next()
			}
			out[i] = v
		}
	}
}

// normal sums 16 uniform 60-bit words: Irwin–Hall, mean 2^63, standard
// deviation 2^60·√(16/12).
func normal(g *gen, _ uint64, out []uint64) {
	const deviation = 1 << 60 * 1.1547005383792515
	for i := range out {
		var s uint64
		for range 16 {
			s += g.next() >> 4
		}
		if !g.float {
			out[i] = g.frac(s)
			continue
		}
		v := float64(int64(s-1<<63)) / deviation
		out[i] = g.real(v)
	}
}

// real maps a number to the key nearest to it; floats only.
func (g *gen) real(v float64) uint64 {
	if g.t == key.F32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

func exponential(g *gen, _ uint64, out []uint64) {
	top := uint64(bits.Len64(max(g.n, 2) - 1))
	if !g.float {
		top = min(top, uint64(2*g.half-1))
	}
	for i := range out {
		e := g.below(top)
		out[i] = g.count(1<<e|g.next()>>(64-e), 1<<top)
	}
}

func unit(g *gen, _ uint64, out []uint64) {
	for i := range out {
		switch r := g.next(); g.t {
		case key.F32:
			out[i] = g.real(float64(r>>40) / (1 << 24))
		case key.F64:
			out[i] = g.real(float64(r>>11) / (1 << 53))
		default:
			out[i] = g.frac(r | 1<<63)
		}
	}
}

func randomP5(g *gen, _ uint64, out []uint64) {
	for i := range out {
		out[i] = g.count(0, 0)
		if g.below(20) == 0 {
			out[i] = g.frac(g.next())
		}
	}
}

func oneDifferent(g *gen, lo uint64, out []uint64) {
	constant(g, lo, out)
	if at, _ := bits.Mul64(g.fixed(0), g.n); at-lo < uint64(len(out)) {
		v := g.count(7, 42)
		if g.fixed(1)&1 != 0 {
			v = g.count(99, 99)
		}
		out[at-lo] = v
	}
}

func lowBits(g *gen, _ uint64, out []uint64) {
	low := uint64(1)<<g.half - 1
	high := g.fixed(0) & g.mask &^ low
	if g.float {
		high = g.real(1) &^ low
	}
	for i := range out {
		out[i] = high | g.next()&low
	}
}

func highBits(g *gen, _ uint64, out []uint64) {
	low := uint64(1)<<g.half - 1
	for i := range out {
		out[i] = g.frac(g.next()) &^ low
		if g.float && out[i]&^(1<<(2*g.half-1)) > g.real(math.Inf(1)) {
			out[i] = 0
		}
	}
}

// msdSkew gives half of the keys no leading zero bit, a quarter s of them, an
// eighth 2s and so on, the rest of the bits random, with s an eighth of half
// the width: every radix level has one bucket that holds most of what is left.
func msdSkew(g *gen, _ uint64, out []uint64) {
	for i := range out {
		z := uint(bits.LeadingZeros64(g.next()|1)) * max(g.half/8, 1)
		out[i] = g.frac((g.next() | 1<<63) >> min(z, 63))
	}
}

func digitRuns(g *gen, _ uint64, out []uint64) {
	var v uint64
	for i := range out {
		if i%32 == 0 {
			v = g.frac(g.next())
		}
		out[i] = v
	}
}

func digitStripes(g *gen, lo uint64, out []uint64) {
	for i := range out {
		b := (lo + uint64(i)) & 0xff
		out[i] = g.frac(b * 0x0101010101010101)
	}
}
