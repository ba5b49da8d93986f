package merging

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// Path returns how many of the first `diagonal` items of the stable merge of a
// and b come from a: the number of x with a[x] <= b[diagonal−1−x].
func Path[U key.Word](a, b []U, diagonal int) int { return path(a, b, diagonal, 0) }

// path is Path in the order of words flipped by flip, all bits or none.
func path[U key.Word](a, b []U, diagonal int, flip U) int {
	lo, hi := max(0, diagonal-len(b)), min(diagonal, len(a))
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if a[mid]^flip <= b[diagonal-1-mid]^flip {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

const (
	// bothEnds is the least number of items in both runs for which it pays to merge
	// from both ends at once.
	bothEnds = 16
	// fourEnds is the least number of items for which it pays to find the middle of the merge, and
	// fourSteps the least number of steps from four ends.
	fourEnds, fourSteps = 64, 8
)

// Two merges a and b into dst, which has their length together. If they are in no order, dst has their words in some
// order.
func Two[U key.Word](dst, a, b []U) { two(dst, a, b, 0) }

// two is Two in the order of words flipped by flip, all bits or none. The side is chosen
// without a branch, since it is as good as random. Each choice waits for the one before
// it; so the merge goes on from both ends, or from those of both halves, two or four chains that a core works on side
// by side. From the end the larger key is taken, of equal ones b's.
func two[U key.Word](dst, a, b []U, flip U) {
	if len(dst) >= fourEnds && four(dst, a, b, flip) {
		return
	}
	for len(a) >= bothEnds && len(b) >= bothEnds {
		// So many steps at each end take no more than either run has.
		n := min(len(a), len(b)) / 2
		front, back := ends(dst, a, b, n, flip)
		a, b = a[front:len(a)-back], b[n-front:len(b)-n+back]
		dst = dst[n : len(dst)-n]
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x := a[i]
		if b[j]^flip < x^flip {
			x = b[j]
			j++
		} else {
			i++
		}
		dst[i+j-1] = x
	}
	dst = dst[i+j:]
	copy(dst[copy(dst, a[i:]):], b[j:])
}

// four is two from the ends of both halves of the merge. It reports false, with nothing done, where there is no kernel
// for that, or nearly all of a half is of one run.
func four[U key.Word](dst, a, b []U, flip U) bool {
	size := unsafe.Sizeof(U(0))
	if !simd.MergesFour || size < 4 {
		return false
	}
	half, n := len(dst)/2, len(dst)
	i := path(a, b, half, flip)
	at := half - i
	// So many steps at each end take no more than either half has of either run.
	steps := min(i, len(a)-i, at, len(b)-at)
	if steps < fourSteps {
		return false
	}
	var j, l, j2, l2 int
	if size == 4 {
		j, l, j2, l2 = simd.MergeFour(words[uint32](dst), words[uint32](a), words[uint32](b), half, at, steps, flip != 0)
	} else {
		j, l, j2, l2 = simd.MergeFour(words[uint64](dst), words[uint64](a), words[uint64](b), half, at, steps, flip != 0)
	}
	i, k, i2, k2 := steps-j, half-steps-l, half+steps-j2, n-steps-l2
	if i > k || j > l || i2 > k2 || j2 > l2 { // they are in no order, and some words were taken twice
		copy(dst[copy(dst, a):], b)
		return true
	}
	two(dst[steps:half-steps], a[i:k], b[j:l], flip)
	two(dst[half+steps:n-steps], a[i2:k2], b[j2:l2], flip)
	return true
}

// ends writes the n first and the n last keys of the merge to both ends of dst, and
// returns how many of either are a's.
func ends[U key.Word](dst, a, b []U, n int, flip U) (front, back int) {
	i, j, k, l := 0, 0, len(a)-1, len(b)-1
	for t := range n {
		x, y := a[i]^flip, b[j]^flip
		second := 0
		if y < x {
			second = 1
		}
		if y < x {
			x = y
		}
		dst[t] = x ^ flip
		j += second
		i += 1 - second

		x, y = a[k]^flip, b[l]^flip
		first := 0
		if y < x {
			first = 1
		}
		if x < y {
			x = y
		}
		dst[len(dst)-1-t] = x ^ flip
		k -= first
		l -= 1 - first
	}
	return i, len(a) - 1 - k
}

func words[W, U key.Word](x []U) []W { return key.Words[W](key.Memory(x)) }
