package merging

import "github.com/gpusort/gpusort/internal/key"

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

// Two merges a and b into dst, which has their length together. The side
// is chosen without a branch, since it is as good as random. Each choice waits
// for the one before it; so the merge goes on from both ends, two chains that a
// core works on side by side. From the end the larger key is taken, of equal
// ones b's.
func Two[U key.Word](dst, a, b []U) {
	at, end := 0, len(dst)
	for len(a) >= bothEnds && len(b) >= bothEnds {
		// So many steps at each end take no more than either run has.
		i, j, k, l := 0, 0, len(a)-1, len(b)-1
		for range min(len(a), len(b)) / 2 {
			x, y := a[i], b[j]
			second := 0
			if y < x {
				second = 1
			}
			if y < x {
				x = y
			}
			dst[at] = x
			at++
			j += second
			i += 1 - second

			x, y = a[k], b[l]
			first := 0
			if y < x {
				first = 1
			}
			if x < y {
				x = y
			}
			end--
			dst[end] = x
			k -= first
			l -= 1 - first
		}
		a, b = a[i:k+1], b[j:l+1]
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x := a[i]
		if b[j] < x {
			x = b[j]
			j++
		} else {
			i++
		}
		dst[at] = x
		at++
	}
	at += copy(dst[at:end], a[i:])
	copy(dst[at:end], b[j:])
}
