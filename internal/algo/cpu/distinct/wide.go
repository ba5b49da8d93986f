package distinct

import (
	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// comparedWide is the comparison of keys of 128 bits.
func comparedWide(x []key.Octets, lo, hi int, f func(at int, img []key.Octets)) {
	if lo == 0 && hi > 0 {
		other := x[0]
		other[0] ^= 1
		f(0, []key.Octets{other, x[0]})
		lo = 1
	}
	if lo < hi {
		f(lo, x[lo-1:hi])
	}
}

func groupsWide(s key.Slice, _ key.Codec, h cpu.Options) ([]int, error) {
	return runs(key.Words[key.Octets](s), h, comparedWide)
}

func uniqueWide(s key.Slice, _ key.Codec, h cpu.Options) (int, error) {
	return uniqueBy(key.Words[key.Octets](s), h, compact[key.Octets])
}

func tallyWide(s key.Slice, c key.Codec, h cpu.Options, alloc func(n int) key.Slice) ([]int, error) {
	return tallySorted(key.Words[key.Octets](s), h, alloc, compactStarts[key.Octets], func(sorted []key.Octets) error { return cpu.KeysWide(sorted, c, h) })
}
