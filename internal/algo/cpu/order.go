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
	at := firstPair(x, c&^key.CodecEqualZeros, false)
	if c&key.CodecEqualZeros == 0 {
		return at
	}
	// Neighbours in the order of bits are in that of ties.
	for at >= 0 && key.Encode(c, x[at]) == key.Encode(c, x[at-1]) {
		next := firstPair(x[at:], c&^key.CodecEqualZeros, false)
		if next < 0 {
			return -1
		}
		at += next
	}
	return at
}

// firstPair returns the first i at which the image of x[i] under c is below
// that of x[i−1], or equal to it if ties is set. Under the codec of the other
// direction that is the first that is above, or not below, the one before.
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

// orderStep is the part of the keys whose order is looked at in one go, in bytes:
// a multiple of the blocks of the vector loops, all of which they then go through.
const orderStep = 15 * simd.OrderBlock

// scan is firstPair with a look at the context before each step. It returns -1 if
// the sort is cancelled.
func scan[U key.Word](r *run, x []U, c key.Codec, ties bool) int {
	step := orderStep / int(unsafe.Sizeof(x[0]))
	for lo := 0; lo < len(x)-1 && !r.cancelled(); lo += step {
		// The first of a step is the last of the one before: neighbours are compared.
		if at := firstPair(x[lo:min(len(x), lo+step+1)], c, ties); at >= 0 {
			return lo + at
		}
	}
	return -1
}

// keysInOrder reports whether x is in order, after reversing it if it was in
// reverse order. If the sort is cancelled it reports true, and x is in some order.
func keysInOrder[U key.Word](r *run, x []U, c key.Codec) bool {
	if scan(r, x, c, false) < 0 {
		return true
	}
	if scan(r, x, c^key.CodecDesc, false) >= 0 {
		return false
	}
	r.inSteps(len(x)/2, 2*int(unsafe.Sizeof(x[0])), func(lo, hi int) { mirror(x, lo, hi) })
	return true
}

// pairsInOrder is keysInOrder for pairs. It reverses only keys that fall throughout:
// equal ones keep their order.
func pairsInOrder[U key.Word, V wide](r *run, k []U, v []V, c key.Codec) bool {
	if scan(r, k, c, false) < 0 {
		return true
	}
	if scan(r, k, c^key.CodecDesc, true) >= 0 {
		return false
	}
	r.inSteps(len(k)/2, 2*int(unsafe.Sizeof(k[0])+unsafe.Sizeof(v[0])), func(lo, hi int) {
		mirror(k, lo, hi)
		mirror(v, lo, hi)
	})
	return true
}

// mirror swaps x[lo:hi], which lies in the first half, for what is as far from the
// end.
func mirror[T any](x []T, lo, hi int) {
	for i, k := lo, len(x)-1-lo; i < hi; i, k = i+1, k-1 {
		x[i], x[k] = x[k], x[i]
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
