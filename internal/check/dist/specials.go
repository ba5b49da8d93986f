package dist

import (
	"math"

	"github.com/gpusort/gpusort/internal/key"
)

// specialBits returns the patterns at which orders and conversions go wrong.
func specialBits(t key.Type) []uint64 {
	w := uint(t.Bits())
	sign := uint64(1) << (w - 1)
	var mantissa uint // bits
	switch t {
	case key.F32:
		mantissa = 23
	case key.F64:
		mantissa = 52
	default:
		all := sign<<1 - 1
		return []uint64{0, 1, 2, sign - 2, sign - 1, sign, sign + 1, all - 1, all,
			0x5555555555555555 & all, 0xaaaaaaaaaaaaaaaa & all, all >> (w / 2), all << (w / 2) & all}
	}
	one := uint64(1)
	inf := sign - one<<mantissa
	abs := []uint64{
		0, 1, 2, one<<mantissa - 1, // zero, denormals
		one << mantissa, one<<mantissa + 1, // least normal numbers
		(sign>>1 - 1) &^ (one<<mantissa - 1), // 1.0
		inf - 1, inf,                         // greatest number, infinity
		inf + 1, inf + 2, inf | one<<(mantissa-2), // signalling NaNs
		inf | one<<(mantissa-1), inf | one<<(mantissa-1) | 1, sign - 1, // quiet NaNs
	}
	both := abs
	for _, a := range abs {
		both = append(both, sign|a)
	}
	return both
}

// specials draws from specialBits; every eighth float NaN gets random payload
// bits.
func specials(g *gen, _ uint64, out []uint64) {
	s := specialBits(g.t)
	inf := g.mask >> 1
	if g.float {
		inf = g.real(math.Inf(1))
	}
	for i := range out {
		v := s[g.below(uint64(len(s)))]
		if r := g.next(); g.float && v&(g.mask>>1) > inf && r&7 == 0 {
			v |= r >> 8 & (g.mask >> 1) &^ inf
		}
		out[i] = v
	}
}
