package ranges

import (
	"math"
	"math/bits"
	"slices"
	"sort"
)

// Sampled are samples of encoded keys of shares, each sorted, and how many keys each share has.
// Thin has every so many-th key of each sample, as Thin makes it.
type Sampled struct {
	Keys, Thin [][]uint64
	Items      []uint64
}

// leastPart is the least number of ranges of a part, where they are not too many: so the first
// one is sorted while the others are on their way.
const leastPart = 4

// thinKeys is how many keys of all samples together ranges are chosen by: few enough that they
// are merged in some 50 µs, and a range about a border still has eight of them or more.
const thinKeys = 1 << 12

// Thin has the keys of one of so many samples by which ranges are chosen.
func Thin(keys []uint64, samples int) (thin []uint64) {
	step := max(len(keys)*samples/thinKeys, 1)
	for i := step / 2; i < len(keys); i += step {
		thin = append(thin, keys[i])
	}
	return thin
}

// rung is a key, and about how many keys of all it stands for; in a ladder, how many are at most it.
type rung struct {
	key   uint64
	items float64
}

// ladder has the thin keys of all samples in order.
func (s Sampled) ladder() (all []rung) {
	var lists [][]rung
	for i, keys := range s.Thin {
		list := make([]rung, len(keys))
		for k, key := range keys {
			list[k] = rung{key, float64(s.Items[i]) / float64(len(keys))}
		}
		lists = append(lists, list)
	}
	for len(lists) > 1 {
		lists = append(lists[2:], merged(lists[0], lists[1]))
	}
	all = lists[0]
	sum := 0.0
	for i := range all {
		sum += all[i].items
		all[i].items = sum
	}
	return all
}

func merged(a, b []rung) []rung {
	out := make([]rung, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].key <= b[0].key {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Choose returns the last keys, in order, of ranges for parts with these bounds, which begin
// with 0 and end with the number of all keys: ranges of about `each` keys or fewer, as long as
// Most are enough. About a border between two parts there is a small range, in which the border
// is but for one in some thousand inputs, so that no other range has keys of two parts. A key
// that is as frequent as a range is one by itself.
//
// The other borders have many zeros in their lower bits, so far as that leaves the ranges
// about as long: then keys that spread evenly over all values spread evenly over those of a
// range that agree in their upper bits, and are sorted by these faster.
func (s Sampled) Choose(bounds []uint64, each uint64) (lasts []uint64) {
	all, parts := s.ladder(), len(bounds)-1
	items, sampled := float64(bounds[parts]), 0
	for _, keys := range s.Keys {
		sampled += len(keys)
	}
	for p := range parts {
		first, n := float64(bounds[p]), bounds[p+1]-bounds[p]
		ranges := max(ceilPow2((n+each-1)/each), leastPart)
		for ranges > 1 && uint64(parts)*(ranges-1)+2*uint64(parts-1) >= Most {
			ranges /= 2
		}
		step := float64(n) / float64(ranges)
		for j := uint64(1); j < ranges; j++ {
			lasts = append(lasts, between(all, first+float64(j)*step, step/16, true)...)
		}
		if p+1 < parts {
			// A sampled rank is off by items/(2·√sampled) in the standard deviation at most.
			lasts = append(lasts, between(all, float64(bounds[p+1]), 2*items/math.Sqrt(float64(sampled)), false)...)
		}
	}
	slices.Sort(lasts)
	return slices.Compact(lasts)
}

// between are the last keys that a border needs which may be off by some keys: one with a
// round number behind it, or the two of a range about the border.
func between(ladder []rung, rank, off float64, round bool) []uint64 {
	lo, hi := at(ladder, rank-off), at(ladder, rank+off)
	switch {
	case lo == hi && lo == 0:
		return []uint64{0}
	case lo == hi:
		return []uint64{lo - 1, lo}
	case round:
		zeros := bits.Len64(lo^hi) - 1
		return []uint64{hi>>zeros<<zeros - 1}
	}
	return []uint64{lo, hi}
}

// at is about the key that has so many keys of all at most it.
func at(ladder []rung, rank float64) uint64 {
	i := sort.Search(len(ladder)-1, func(i int) bool { return ladder[i].items >= rank })
	return ladder[i].key
}

func ceilPow2(n uint64) uint64 { return 1 << bits.Len64(n-1) }

// Sizes is how many keys of share i each range may have, if the number of its sampled ones is
// within so many standard deviations of what is to be expected (Wilson's upper bound).
func (s Sampled) Sizes(i int, lasts []uint64, deviations float64) (sizes []uint64) {
	keys := s.Keys[i]
	each, d := float64(s.Items[i])/float64(len(keys)), deviations
	for k := 0; k <= len(lasts); k++ {
		n := len(keys)
		if k < len(lasts) {
			n = sort.Search(n, func(j int) bool { return keys[j] > lasts[k] })
		}
		keys = keys[n:]
		x := float64(n)
		sizes = append(sizes, min(uint64(each*(x+d*d/2+d*math.Sqrt(x+d*d/4)))+1, s.Items[i]))
	}
	return sizes
}

// Mixed reports whether keys in the order of their places both rise and fall.
func Mixed(keys []uint64) bool {
	rises, falls := false, false
	for i := range keys[1:] {
		rises, falls = rises || keys[i] < keys[i+1], falls || keys[i] > keys[i+1]
	}
	return rises && falls
}

// Few reports whether at most so many keys are different.
func Few(keys []uint64, most int) bool {
	seen := map[uint64]bool{}
	for _, k := range keys {
		if seen[k] = true; len(seen) > most {
			return false
		}
	}
	return true
}
