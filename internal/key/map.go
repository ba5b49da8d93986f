package key

import "unsafe"

// Map encodes bit patterns one by one as Encode does, for every codec by one formula
// without a branch on the kind: of a pattern u, p is u with some bits flipped, more if
// u has its highest bit set; p < nans are the negative NaNs, which go in reverse.
type Map[U Word] struct {
	always, neg U // the bits that are flipped
	nans        U // NaN patterns of one sign; 0 for integers
	twice       U // 2·nans − 1
	last, flip  U // subtracted, and then flipped

	// Codecs with CodecEqualZeros: encoded keys below tied become tie, zero becomes zero + one.
	tied, tie, zero, one U
}

// MapOf returns the map of c.
func MapOf[U Word](c Codec) Map[U] {
	var m Map[U]
	sign := ^(^U(0) >> 1)
	switch c & codecMap {
	case CodecSigned:
		m.always = sign
	case CodecFloatNaNFirst, CodecFloatNaNLast:
		_, _, nans := floatConsts[U](c)
		m.always, m.neg, m.nans, m.twice = sign, ^U(0), nans, 2*nans-1
		if c&codecMap == CodecFloatNaNLast {
			m.last = 2 * nans
		}
		if c&CodecEqualZeros != 0 {
			m.tied, m.tie, m.zero, m.one = 2*nans, nans/2, sign-1+nans, 1
		}
	}
	if c&CodecDesc != 0 {
		m.flip = ^U(0)
	}
	return m
}

// Of returns the encoded key of u.
func (m *Map[U]) Of(u U) U {
	p := u ^ (-(u>>(unsafe.Sizeof(u)*8-1))&m.neg | m.always)
	y := p + m.nans
	if p < m.nans {
		y = m.twice - p
	}
	if y < m.tied {
		y = m.tie
	}
	if y == m.zero {
		y += m.one
	}
	return (y - m.last) ^ m.flip
}

// Loose returns what orders numbers as Of does, by fewer instructions; NaNs it orders by
// other rules, and zeros always by bits.
func (m *Map[U]) Loose(u U) U {
	return u ^ (-(u>>(unsafe.Sizeof(u)*8-1))&m.neg | m.always) ^ m.flip
}

// Near is a map of floats that is nearly Of: it leaves NaNs at their end, but those of negative sign
// among themselves in reverse.
type Near[U Word] struct{ add, flip U }

// Near returns the map of m, of floats and without CodecEqualZeros.
func (m *Map[U]) Near() Near[U] { return Near[U]{m.always + m.nans - m.last, m.flip} }

// Of returns the encoded key of u, but for NaNs.
func (n Near[U]) Of(u U) U {
	negative := U(int64(uint64(u)<<(64-8*unsafe.Sizeof(u))) >> 63) // all ones or none
	return ((u ^ negative>>1) + n.add) ^ n.flip                    // to flip the sign is to add it
}

// IsNaN reports whether u is a NaN.
func (m *Map[U]) IsNaN(u U) bool {
	p := u ^ (-(u>>(unsafe.Sizeof(u)*8-1))&m.neg | m.always)
	return p+m.nans < 2*m.nans
}

// Tied returns the other zero for a zero that ties with it, and u for everything else.
func (m *Map[U]) Tied(u U) U {
	if u<<1 == 0 {
		u ^= m.one << (unsafe.Sizeof(u)*8 - 1)
	}
	return u
}

// Left returns the map of patterns that are shifted to the left end of 64 bits: its encoded keys
// are those of m, shifted alike.
func (m *Map[U]) Left() Map[uint64] {
	by := 64 - 8*unsafe.Sizeof(m.always)
	left := func(u U) uint64 { return uint64(u) << by }
	return Map[uint64]{
		always: left(m.always), neg: left(m.neg), nans: left(m.nans), twice: left(m.twice), last: left(m.last),
		flip: left(m.flip), tied: left(m.tied), tie: left(m.tie), zero: left(m.zero), one: left(m.one),
	}
}

// IsFlip reports whether Of flips the same bits of every pattern, and nothing else: of integers.
func (m *Map[U]) IsFlip() bool { return m.nans == 0 }

// Flip returns what Of does if m.IsFlip().
func (m *Map[U]) Flip(u U) U { return u ^ (m.always ^ m.flip) }
