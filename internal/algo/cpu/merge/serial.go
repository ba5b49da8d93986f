package merge

import "github.com/gpusort/gpusort/internal/key"

// bothEnds is the least number of items in both runs for which it pays to merge
// from both ends at once.
const bothEnds = 16

// mergePairs is merging.Two with values.
func mergePairs[U key.Word, V Value](dst, a, b []U, dstV, aV, bV []V) {
	at, end := 0, len(dst)
	dstV, aV, bV = dstV[:end], aV[:len(a)], bV[:len(b)]
	for len(a) >= bothEnds && len(b) >= bothEnds {
		i, j, k, l := 0, 0, len(a)-1, len(b)-1
		for range min(len(a), len(b)) / 2 {
			x, y, v, w := a[i], b[j], aV[i], bV[j]
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

			x, y, v, w = a[k], b[l], aV[k], bV[l]
			first := 0
			if y < x {
				first = 1
			}
			if x <= y {
				v = w
			}
			if x < y {
				x = y
			}
			end--
			dst[end], dstV[end] = x, v
			k -= first
			l -= 1 - first
		}
		a, b, aV, bV = a[i:k+1], b[j:l+1], aV[i:k+1], bV[j:l+1]
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if b[j] < a[i] {
			dst[at], dstV[at] = b[j], bV[j]
			j++
		} else {
			dst[at], dstV[at] = a[i], aV[i]
			i++
		}
		at++
	}
	copy(dstV[at:end], aV[i:])
	at += copy(dst[at:end], a[i:])
	copy(dstV[at:end], bV[j:])
	copy(dst[at:end], b[j:])
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
