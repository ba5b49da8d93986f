package selftest

import (
	"errors"
	"slices"
	"sort"

	"github.com/gpusort/gpusort"
)

// The usual sizes lie beside a warp, a small block and a tile, and pass what a single
// block handles. Up to refItems keys the result is compared with a reference
// sort, above with oracles that take linear time.
var usual = []int{0, 1, 2, 33, 1000, 4097, 70001}

const (
	refItems = 1000
	// mostItems is the greatest number of keys that is tried for an algorithm that takes
	// none of the usual ones.
	mostItems = 1 << 24
)

// sizesOf returns the sizes to test: the usual ones that are supported, and beside
// a size that is not the greatest or least one that is. Those that are supported are taken
// for one range. The error is why there is none; it wraps ErrUnsupported, unless
// supports failed otherwise.
func sizesOf(supports func(n int) error) (sizes []int, err error) {
	ok := func(n int) bool {
		e := supports(n)
		if e != nil && (err == nil || !errors.Is(e, gpusort.ErrUnsupported)) {
			err = e
		}
		return e == nil
	}
	const few = 2 // sizes below ask for no work, and no algorithm is asked
	last := 0     // the greatest that is supported
	defer func() { sizes = slices.Compact(sizes) }()
	for _, n := range usual {
		switch {
		case n < few:
			sizes = append(sizes, n)
		case ok(n):
			if last == 0 && n > few {
				sizes = append(sizes, firstOf(below(n), n, ok))
			}
			sizes, last = append(sizes, n), n
		case last != 0:
			return append(sizes, firstOf(last, n, func(n int) bool { return !ok(n) })-1), nil
		}
	}
	if last != 0 {
		return sizes, nil
	}
	for n := 2 * usual[len(usual)-1]; n <= mostItems; n *= 2 {
		if ok(n) {
			return append(sizes, firstOf(n/2, n, ok)), nil
		}
	}
	return nil, err
}

// below returns the usual size before n.
func below(n int) int { return usual[sort.SearchInts(usual, n)-1] }

// firstOf returns the least n in (lo, hi] for which is holds, given that it holds for hi
// and from its first on.
func firstOf(lo, hi int, is func(int) bool) int {
	return lo + 1 + sort.Search(hi-lo-1, func(i int) bool { return is(lo + 1 + i) })
}
