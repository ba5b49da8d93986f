package merging

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// Path returns how many of the first `diagonal` items of the stable merge of a
// and b come from a: the number of x with a[x] <= b[diagonal−1−x].
func Path[U key.Word](a, b []U, diagonal int) int {
	lo, hi := max(0, diagonal-len(b)), min(diagonal, len(a))
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if a[mid] <= b[diagonal-1-mid] {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// bothEnds is the least number of items in both runs for which it pays to merge
// from both ends at once.
const bothEnds = 16

// Two merges a and b into dst, which has their length together.
func Two[U key.Word](dst, a, b []U) { two(dst, a, b, 0) }

// two is Two in the order of words flipped by flip, all bits or none. The side is chosen
// without a branch, since it is as good as random. Each choice waits for the one before
// it; so the merge goes on from both ends, two chains that a core works on side by side.
// From the end the larger key is taken, of equal ones b's.
func two[U key.Word](dst, a, b []U, flip U) {
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

// ends writes the n first and the n last keys of the merge to both ends of dst, and
// returns how many of either are a's.
func ends[U key.Word](dst, a, b []U, n int, flip U) (front, back int) {
	var ok bool
	switch size := unsafe.Sizeof(U(0)); {
	case flip != 0:
	case size == 4:
		front, back, ok = simd.MergeEnds(words[uint32](dst), words[uint32](a), words[uint32](b), n)
	case size == 8:
		front, back, ok = simd.MergeEnds(words[uint64](dst), words[uint64](a), words[uint64](b), n)
	}
	if ok {
		return front, back
	}
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
