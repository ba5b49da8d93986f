package key

import (
	"cmp"
	"slices"
)

// Stretch is a range of encoded keys, from its lowest one to before the next Stretch's, in
// which keys rise as unsigned numbers with their bit patterns, or fall.
type Stretch struct {
	From  uint64
	Falls bool
}

// Stretches are those of a codec without CodecEqualZeros for keys of so many bytes, in order;
// the first begins at 0. In a sorted run each is a run of bit patterns, up or down.
func Stretches(c Codec, bytes int) []Stretch {
	return ByWidth(bytes, stretches[uint8], stretches[uint16], stretches[uint32], stretches[uint64])(c)
}

func stretches[U Word](c Codec) (all []Stretch) {
	sign, most := ^(^U(0) >> 1), ^U(0)
	starts := []U{0}
	switch c & codecMap {
	case CodecSigned:
		starts = []U{0, sign}
	case CodecFloatNaNFirst, CodecFloatNaNLast:
		_, inf, _ := floatConsts[U](c)
		starts = []U{0, inf + 1, sign, sign + inf + 1}
	}
	for i, first := range starts {
		last := most
		if i+1 < len(starts) {
			last = starts[i+1] - 1
		}
		a, b := uint64(Encode(c, first)), uint64(Encode(c, last))
		all = append(all, Stretch{min(a, b), a > b})
	}
	slices.SortFunc(all, func(a, b Stretch) int { return cmp.Compare(a.From, b.From) })
	return all
}

// UnsignedOf is the unsigned type of so many bytes, whose codec is CodecUnsigned.
func UnsignedOf(bytes int) Type { return ByWidth(bytes, U8, U16, U32, U64) }
