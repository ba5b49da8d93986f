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

// firstPair returns the first i at which the encoded key of x[i] under c is below
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
		return firstPlain(cast[uint8](x), c, ties)
	case 2:
		return firstPlain(cast[uint16](x), c, ties)
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

// pairsInOrder reports whether pairs are in order, after reversing them if they were in
// reverse order throughout: equal keys keep their order. If the sort is cancelled it
// reports true, and they are in some order.
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

func firstWide[U wide](x []U, c key.Codec, ties bool) int {
	if ties {
		return firstPlain(x, c, true)
	}
	// Long runs of one key need no look at the order.
	if n := len(x); n > 2*simd.Slack && x[0] == x[1] && x[0] == x[n/2] {
		if at := simd.Same(x); at == n {
			return -1
		} else if i := firstPlain(x[at-1:min(n, at+2*simd.Slack)], c, false); i >= 0 {
			return at - 1 + i
		}
	}
	at := simd.Ordered(x, vectorCodec[U](c))
	if at == 0 && isFloat(c) {
		at = risesPlain(x, c)
	}
	if i := firstPlain(x[at:], c, false); i >= 0 {
		return at + i
	}
	return -1
}

// firstPlain is firstPair without vector instructions. x may have one key.
func firstPlain[U key.Word](x []U, c key.Codec, ties bool) int {
	if !isFloat(c) {
		if m := intMask[U](c); ties {
			return firstStay(x, m)
		} else {
			return firstFall(x, m)
		}
	}
	prev := key.Encode(c, x[0])
	for i, u := range x[1:] {
		u = key.Encode(c, u)
		if u < prev || ties && u == prev {
			return i + 1
		}
		prev = u
	}
	return -1
}

// firstFall returns the first i with x[i]^m below x[i-1]^m, or −1. Four are looked at a
// turn, each with a branch of its own.
func firstFall[U key.Word](x []U, m U) int {
	a, i := x[0]^m, 1
	for ; i+4 <= len(x); i += 4 {
		y := x[i : i+4 : i+4]
		b, c, d, e := y[0]^m, y[1]^m, y[2]^m, y[3]^m
		switch {
		case b < a:
			return i
		case c < b:
			return i + 1
		case d < c:
			return i + 2
		case e < d:
			return i + 3
		}
		a = e
	}
	for ; i < len(x); i++ {
		b := x[i] ^ m
		if b < a {
			return i
		}
		a = b
	}
	return -1
}

// firstStay is firstFall for x[i]^m that is not above x[i-1]^m.
func firstStay[U key.Word](x []U, m U) int {
	for i := 1; i < len(x); i++ {
		if x[i]^m <= x[i-1]^m {
			return i
		}
	}
	return -1
}

// risesPlain returns an i, x[:i+1] being in the order of c, of floats: short of the
// first disorder or of a NaN.
func risesPlain[U wide](x []U, c key.Codec) int {
	shift := wordBits[U]() - 1
	flip := U(0)
	if c&key.CodecDesc != 0 {
		flip = ^U(0)
	}
	// In this order, NaNs are at both ends.
	encodedKey := func(u U) U { return u ^ (-(u >> (shift & 63)) | 1<<(shift&63)) ^ flip }
	i, a := 1, encodedKey(x[0])
	for ; i < len(x); i++ {
		b := encodedKey(x[i])
		if b < a {
			break
		}
		a = b
	}
	i--
	if f := newFloatMap[U](c); f.isNaN(x[0]) || f.isNaN(x[i]) {
		return 0
	}
	return i
}
