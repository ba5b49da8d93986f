//go:build !noasm && !purego

package simd

import "unsafe"

// MergeEnds writes the n first words of the stable merge of a and b to the front of dst,
// and the n last to its end, n being at most half of either's length. It returns how
// many of them are a's, at the front and at the end, or declines.
func MergeEnds[U Word](dst, a, b []U, n int) (front, back int, ok bool) {
	d, e := unsafe.Pointer(&dst[0]), unsafe.Pointer(&dst[len(dst)-1])
	x, y := unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])
	k, l := len(a)-1, len(b)-1
	var left int
	if unsafe.Sizeof(a[0]) == 4 {
		front, left = MergeTwo32((*uint32)(d), (*uint32)(e), (*uint32)(x), (*uint32)(y), k, l, n)
	} else {
		front, left = MergeTwo64((*uint64)(d), (*uint64)(e), (*uint64)(x), (*uint64)(y), k, l, n)
	}
	return front, k - left, true
}
