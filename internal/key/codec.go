package key

import "unsafe"

// Order is the direction of a sort and the place of NaN.
type Order struct {
	// Desc asks for the exact reverse of the ascending order of keys. Pairs
	// with equal keys keep their input order in both directions.
	Desc bool
	// NaNLast puts NaN after +Inf in the ascending order, as NumPy does,
	// instead of before −Inf, as Go's slices.Sort does.
	NaNLast bool
	// EqualZeros has −0 and +0 tie, and all NaNs, as NumPy has it, so that pairs and
	// argsort leave them in their input order. Keys alone have one possible result
	// with it and without it; for integers it is without effect.
	EqualZeros bool
}

// Word is an unsigned integer of a key's width.
type Word interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Codec maps the bit pattern of a key to an unsigned integer of the same width
// whose natural order is the wanted one. It is a bijection on all bit
// patterns but for CodecEqualZeros. The number itself is the parameter that kernels
// take: bits 0 and 1 hold the map (CodecUnsigned … CodecFloatNaNLast), bit 2 the
// direction. Kernels never see bit 3, CodecEqualZeros: see internal/algo/equalzeros.
type Codec uint32

// The parts of a Codec.
const (
	CodecUnsigned      Codec = 0
	CodecSigned        Codec = 1
	CodecFloatNaNFirst Codec = 2
	CodecFloatNaNLast  Codec = 3
	CodecDesc          Codec = 4
	// CodecEqualZeros, of a float codec, has Encode map both zeros to one encoded key and all
	// NaNs to another: those of Canonical. Decode knows nothing of it.
	CodecEqualZeros Codec = 8
	// CodecBrain, of a float codec for 16 bits, says that they are a BF16, not an F16;
	// CodecBytes, of one for 128, that they are a B128, not a U128. Kernels have neither.
	CodecBrain Codec = 16
	CodecBytes Codec = 32

	codecMap = CodecFloatNaNLast // the bits that hold the map
)

// CodecOf returns the codec of keys of type t in order o. NaNLast and EqualZeros are
// without effect on integers.
func CodecOf(t Type, o Order) Codec {
	var c Codec
	switch t.Row().Kind {
	case Signed:
		c = CodecSigned
	case Float:
		c = CodecFloatNaNFirst
		if o.NaNLast {
			c = CodecFloatNaNLast
		}
		if o.EqualZeros {
			c |= CodecEqualZeros
		}
		if t == BF16 {
			c |= CodecBrain
		}
	}
	if t == B128 {
		c |= CodecBytes
	}
	if o.Desc {
		c |= CodecDesc
	}
	return c
}

// floatConsts returns, for a float of U's width and of codec c, the sign bit, the bits
// of +Inf and the number of NaN patterns of one sign (2^mantissa − 1).
func floatConsts[U Word](c Codec) (sign, inf, nans U) {
	sign = ^(^U(0) >> 1)
	var exponent uint // its bits
	switch unsafe.Sizeof(sign) {
	case 2:
		if exponent = 5; c&CodecBrain != 0 {
			exponent = 8
		}
	case 4:
		exponent = 8
	default:
		exponent = 11
	}
	nans = (sign - 1) >> exponent
	return sign, sign - 1 - nans, nans
}

// Canonical is +0 for both zeros, one quiet NaN for all NaNs, and u for all other bit
// patterns of floats of codec c: of those that CodecEqualZeros has tie, one.
func Canonical[U Word](c Codec, u U) U {
	sign, inf, nans := floatConsts[U](c)
	switch abs := u &^ sign; {
	case abs == 0:
		return 0
	case abs > inf:
		return inf + nans/2 + 1
	}
	return u
}

// Encode returns the encoded key, an unsigned number, of the key with bit pattern u. For floats
// U has 16, 32 or 64 bits.
//
// Floats: with M NaN patterns of each sign, NaN-first gives positive NaNs the
// encoded keys 0 … M−1 and negative ones M … 2M−1, each by bit pattern; the numbers
// follow from −Inf to +Inf with −0 just below +0. NaN-last puts the same NaN
// sequence behind +Inf.
func Encode[U Word](c Codec, u U) U {
	if c&CodecEqualZeros != 0 {
		u, c = Canonical(c, u), c&^CodecEqualZeros
	}
	switch c & codecMap {
	case CodecSigned:
		u ^= ^(^U(0) >> 1)
	case CodecFloatNaNFirst, CodecFloatNaNLast:
		sign, inf, m := floatConsts[U](c)
		abs := u &^ sign
		last := c&codecMap == CodecFloatNaNLast
		switch {
		case abs > inf: // NaN
			i := abs - inf - 1
			if u&sign != 0 {
				i += m
			}
			if last {
				i -= 2 * m // counted back from 2^width
			}
			u = i
		case u&sign != 0:
			u = ^u
			if !last {
				u += m
			} else {
				u -= m
			}
		default:
			u |= sign
			if !last {
				u += m
			} else {
				u -= m
			}
		}
	}
	if c&CodecDesc != 0 {
		u = ^u
	}
	return u
}

// Decode undoes Encode of a codec without CodecEqualZeros.
func Decode[U Word](c Codec, u U) U {
	if c&CodecDesc != 0 {
		u = ^u
	}
	switch c & codecMap {
	case CodecSigned:
		u ^= ^(^U(0) >> 1)
	case CodecFloatNaNFirst, CodecFloatNaNLast:
		sign, inf, m := floatConsts[U](c)
		i := u
		if c&codecMap == CodecFloatNaNLast {
			i += 2 * m // encoded NaNs wrap to 0 … 2M−1, numbers start at 2M
		}
		switch {
		case i < m:
			return inf + 1 + i
		case i < 2*m:
			return sign | (inf + 1 + i - m)
		}
		u = i - m // the plain encoded float: numbers from M on, −Inf first
		if u&sign != 0 {
			return u &^ sign
		}
		return ^u
	}
	return u
}
