package merge

import "github.com/gpusort/gpusort/internal/key"

// path returns how many of the first `diagonal` items of the stable merge of a
// and b come from a: the number of x with a[x] <= b[diagonal−1−x].
func path[U key.Word](a, b []U, diagonal int) int {
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

// mergeKeys merges a and b into dst, which has room for both. The side is chosen
// without a branch: which one is as good as random.
func mergeKeys[U key.Word](dst, a, b []U) {
	i, j, at := 0, 0, 0
	for i < len(a) && j < len(b) {
		// So many steps cannot pass the end of either.
		for range min(len(a)-i, len(b)-j) {
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
		}
	}
	at += copy(dst[at:], a[i:])
	copy(dst[at:], b[j:])
}

// mergePairs is mergeKeys with values.
func mergePairs[U key.Word, V Value](dst, a, b []U, dstV, aV, bV []V) {
	i, j, at := 0, 0, 0
	for i < len(a) && j < len(b) {
		for range min(len(a)-i, len(b)-j) {
			x, y := a[i], b[j]
			v, w := aV[i], bV[j]
			second := 0
			if y < x {
				second = 1
			}
			if y < x {
				v = w
			}
			if y < x {
				x = y
			}
			dst[at], dstV[at] = x, v
			at++
			j += second
			i += 1 - second
		}
	}
	copy(dstV[at:], aV[i:])
	at += copy(dst[at:], a[i:])
	copy(dstV[at:], bV[j:])
	copy(dst[at:], b[j:])
}

// insertion sorts x, which is short.
func insertion[U key.Word](x []U) {
	for i := 1; i < len(x); i++ {
		u := x[i]
		j := i
		for j > 0 && x[j-1] > u {
			x[j] = x[j-1]
			j--
		}
		x[j] = u
	}
}

// insertionPairs is insertion with values; stable.
func insertionPairs[U key.Word, V Value](x []U, v []V) {
	for i := 1; i < len(x); i++ {
		u, w := x[i], v[i]
		j := i
		for j > 0 && x[j-1] > u {
			x[j], v[j] = x[j-1], v[j-1]
			j--
		}
		x[j], v[j] = u, w
	}
}
