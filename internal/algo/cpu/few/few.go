// Package few sorts slices where they are, on the calling goroutine, for which any
// other call would cost more than the sort: a few keys, and some more of which few
// are out of place.
package few

import (
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// Most is the most keys that are sorted in whatever order they are: from there on
// vector instructions are faster, calls and all.
const Most = 16

// sortNumbers is Sort of Go's numbers.
func sortNumbers[T key.Key](x []T) bool {
	if len(x) > Most {
		return len(x) <= nearlyMost && nearly(x)
	}
	switch {
	case len(x) == 2 && !isFloat[T]() && unsafe.Sizeof(*new(T)) > 1:
		x[0], x[1] = min(x[0], x[1]), max(x[0], x[1]) // the call of four would take a tenth longer
		return true
	case len(x) > 4:
	case unsafe.Sizeof(*new(T)) == 1:
		return four[T, int16](x) // there is no conditional move of bytes
	default:
		return four[T, T](x)
	}
	falls, at, zeros := 0, 0, 0
	for i := 1; i < len(x); i++ {
		if !(x[i-1] <= x[i]) {
			falls++
			at = i
		}
		if isFloat[T]() && x[i] == 0 {
			zeros++
		}
	}
	if falls > 2 && falls == len(x)-1 {
		slices.Reverse(x)
		falls = 2
		if rise(x, 1) == len(x) {
			falls = 0
		}
	}
	switch {
	case falls == 0:
	case falls > 1:
		return insert(x)
	case !shift(x, at):
		return false
	}
	if isFloat[T]() && zeros > 0 {
		orderZeros(x)
	}
	return true
}

// four is insert for at most four keys, as values of W, which has all of T's.
func four[T, W key.Key](x []T) bool {
	if len(x) < 2 {
		return true
	}
	a, b := W(x[0]), W(x[1])
	if a != a || b != b {
		return false
	}
	a, b = min(a, b), max(a, b)
	if len(x) > 2 {
		c := W(x[2])
		if c != c {
			return false
		}
		a, b, c = min(a, c), max(a, min(b, c)), max(b, c)
		if len(x) > 3 {
			d := W(x[3])
			if d != d {
				return false
			}
			b, c, d = min(b, d), max(b, min(c, d)), max(c, d)
			a, b = min(a, b), max(a, b)
			x[3] = T(d)
		}
		x[2] = T(c)
	}
	x[0], x[1] = T(a), T(b)
	return true
}

// shift sorts x, whose first keys, up to at, are in order, and reports true. It
// reports false, x being permuted, if a key from there on is NaN, or the one before.
func shift[T key.Key](x []T, at int) bool {
	for ; at < len(x); at++ {
		u, last := x[at], x[at-1]
		if last <= u {
			continue
		}
		if u != u || last != last {
			return false
		}
		x[at] = last
		i := at - 1
		for ; i > 0 && u < x[i-1]; i-- {
			x[i] = x[i-1]
		}
		x[i] = u
	}
	return true
}

// insert sorts x by insertion, without a branch that depends on the order of keys. It
// reports false, x being permuted, if a key is NaN.
func insert[T key.Key](x []T) bool {
	if unsafe.Sizeof(*new(T)) < 4 {
		insertNarrow(x)
		return true
	}
	for i, u := range x {
		if u != u {
			return false
		}
		for j, v := range x[:i] {
			x[j] = min(v, u)
			u = max(v, u)
		}
		x[i] = u
	}
	return true
}

// insertNarrow is insert for integers below 32 bits, which processors have no
// conditional moves for.
func insertNarrow[T key.Key](x []T) {
	for i := range x {
		u := int64(x[i])
		for j := range x[:i] {
			v := int64(x[j])
			x[j] = T(min(v, u))
			u = max(v, u)
		}
		x[i] = T(u)
	}
}

func isFloat[T key.Key]() bool { return T(1)/2 != 0 }
