//go:build !noasm && !purego

package simd

import "unsafe"

// MergesFour says whether there is MergeFour.
const MergesFour = true

// MergeFour makes so many steps, at least one, at each end of both halves of the stable merge of a and b into dst. a and
// b are in ascending order, or if down is set in descending order. Of the first `half` words, `at` are b's, and of
// either slice no fewer in either half than steps; so nothing else is read, were they in no order. It returns which of
// b's words are left in the first half, b[j:l], and in the second one, b[j2:l2].
func MergeFour[U Word](dst, a, b []U, half, at, steps int, down bool) (j, l, j2, l2 int) {
	d, x, y := unsafe.Pointer(&dst[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])
	n, bn := len(dst), len(b)
	switch {
	case unsafe.Sizeof(a[0]) == 4 && down:
		return MergeFourDown32((*uint32)(d), (*uint32)(x), (*uint32)(y), half, n, at, bn, steps)
	case unsafe.Sizeof(a[0]) == 4:
		return MergeFour32((*uint32)(d), (*uint32)(x), (*uint32)(y), half, n, at, bn, steps)
	case down:
		return MergeFourDown64((*uint64)(d), (*uint64)(x), (*uint64)(y), half, n, at, bn, steps)
	}
	return MergeFour64((*uint64)(d), (*uint64)(x), (*uint64)(y), half, n, at, bn, steps)
}
