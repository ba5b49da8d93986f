package distinct

import (
	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
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
	return runs(key.Words[key.Octets](s), h, nil, comparedWide)
}

func uniqueWide(s key.Slice, _ key.Codec, h cpu.Options) (int, error) {
	return uniqueBy(key.Words[key.Octets](s), h, compact[key.Octets])
}

func tallyWide(s key.Slice, c key.Codec, h cpu.Options, alloc func(n int) key.Slice) ([]int, error) {
	x := key.Words[key.Octets](s)
	sorted, put := cpu.Buffer[key.Octets](len(x))
	defer put()
	t := team.Options{Workers: h.Workers, Ctx: h.Ctx}
	if err := t.Steps(len(x), 16, func(lo, hi int) { copy(sorted[lo:hi], x[lo:hi]) }); err != nil {
		return nil, err
	}
	if err := cpu.KeysWide(sorted, c, h); err != nil {
		return nil, err
	}
	return runs(sorted, h, alloc, comparedWide)
}
