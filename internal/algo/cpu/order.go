package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// IsSorted reports whether the bit patterns x are in the order of c.
func IsSorted[U key.Word](x []U, c key.Codec) bool { return FirstDisorder(x, c) < 0 }

// FirstDisorder returns the first i with x[i] before x[i−1] in the order of c,
// or −1 if x is sorted.
func FirstDisorder[U key.Word](x []U, c key.Codec) int {
	return firstPair(x, c, false)
}

// firstRise returns the first i with x[i] after x[i−1], or −1.
func firstRise[U key.Word](x []U, c key.Codec) int {
	return firstPair(x, c^key.CodecDesc, false)
}

// firstNoFall returns the first i with x[i] not before x[i−1], or −1: without
// one x is strictly descending, and reversing it is a stable sort.
func firstNoFall[U key.Word](x []U, c key.Codec) int {
	return firstPair(x, c^key.CodecDesc, true)
}

// firstPair returns the first i at which the image of x[i] under c is below
// that of x[i−1], or equal to it if ties is set.
func firstPair[U key.Word](x []U, c key.Codec, ties bool) int {
	if len(x) < 2 {
		return -1
	}
	// Most inputs that are not in order show it at once, before any set-up.
	if a, b := key.Encode(c, x[0]), key.Encode(c, x[1]); b < a || ties && b == a {
		return 1
	}
	switch unsafe.Sizeof(x[0]) {
	case 1:
		return firstNarrow(cast[uint8](x), c, ties)
	case 2:
		return firstNarrow(cast[uint16](x), c, ties)
	case 4:
		return firstWide(cast[uint32](x), c, ties)
	default:
		return firstWide(cast[uint64](x), c, ties)
	}
}

func firstNarrow[U uint8 | uint16](x []U, c key.Codec, ties bool) int {
	m := intMask[U](c)
	prev := x[0] ^ m
	for i, u := range x[1:] {
		u ^= m
		if u < prev || ties && u == prev {
			return i + 1
		}
		prev = u
	}
	return -1
}

func firstWide[U wide](x []U, c key.Codec, ties bool) int {
	if !ties {
		// Long runs of one key need no look at the order.
		if n := len(x); n > 2*simd.Slack && x[0] == x[1] && x[0] == x[n/2] {
			if at := simd.Same(x); at == n {
				return -1
			} else if i := firstWidePlain(x[at-1:min(n, at+2*simd.Slack)], c, false); i >= 0 {
				return at - 1 + i
			}
		}
		if at := simd.Ordered(x, vectorCodec[U](c)); at > 0 {
			if i := firstWidePlain(x[at:], c, false); i >= 0 {
				return at + i
			}
			return -1
		}
	}
	return firstWidePlain(x, c, ties)
}

func firstWidePlain[U wide](x []U, c key.Codec, ties bool) int {
	if !isFloat(c) {
		m := intMask[U](c)
		prev := x[0] ^ m
		for i, u := range x[1:] {
			u ^= m
			if u < prev || ties && u == prev {
				return i + 1
			}
			prev = u
		}
		return -1
	}
	f := newFloatMap[U](c)
	prev := f.encode(x[0])
	for i, u := range x[1:] {
		u = f.encode(u)
		if u < prev || ties && u == prev {
			return i + 1
		}
		prev = u
	}
	return -1
}
