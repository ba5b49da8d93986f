package ranges

import (
	"math"
	"math/bits"
	"slices"
	"sort"
)

// Sampled are samples of encoded keys of shares, each sorted, and how many keys each share has.
type Sampled struct {
	Keys  [][]uint64
	Items []uint64
}

// LeastPart is the least number of ranges of a part, so that the first one is sorted while the
// others are on their way. MostPart bounds it for all parts together.
const (
	LeastPart = 4
	MostPart  = Most * 3 / 4
)

// thinned has every 8th sampled key: enough to choose by, and few enough for a cache.
func (s Sampled) thinned() Sampled {
	out := Sampled{Items: s.Items}
	for _, keys := range s.Keys {
		few := keys
		if len(keys) >= 1<<12 {
			few = make([]uint64, len(keys)/8)
			for i := range few {
				few[i] = keys[8*i+4]
			}
		}
		out.Keys = append(out.Keys, few)
	}
	return out
}

// below is how many of keys, which are sorted, are at most key.
func below(keys []uint64, key uint64) (n int) {
	for end := len(keys); n < end; {
		if middle := int(uint(n+end) / 2); keys[middle] <= key {
			n = middle + 1
		} else {
			end = middle
		}
	}
	return n
}

// rank is about how many keys of all are at most key.
func (s Sampled) rank(key uint64) (n float64) {
	for i, keys := range s.Keys {
		n += float64(below(keys, key)) * float64(s.Items[i]) / float64(len(keys))
	}
	return n
}

// at is about the key that has so many keys of all at most it: the least sampled one with that
// rank, or the largest one if there is none.
func (s Sampled) at(rank float64) (key uint64) {
	for _, keys := range s.Keys {
		key = max(key, keys[len(keys)-1])
	}
	for _, keys := range s.Keys {
		if i := sort.Search(len(keys), func(i int) bool { return s.rank(keys[i]) >= rank }); i < len(keys) {
			key = min(key, keys[i])
		}
	}
	return key
}

// sampled is the number of all keys that were sampled, and of those that they stand for.
func (s Sampled) sampled() (keys, items float64) {
	for i, k := range s.Keys {
		keys, items = keys+float64(len(k)), items+float64(s.Items[i])
	}
	return keys, items
}

// Choose returns the last keys, in order, of ranges for parts with these bounds, which begin
// with 0 and end with the number of all keys: ranges of about `each` keys or fewer. About a
// border between two parts there is a small range, in which the border is but for one in some
// thousand inputs, so that no other range has keys of two parts. A key that is as frequent as
// a range is one by itself.
//
// The other borders have many zeros in their lower bits, so far as that leaves the ranges
// about as long: then keys that spread evenly over all values spread evenly over those of a
// range that agree in their upper bits, and are sorted by these faster.
func (s Sampled) Choose(bounds []uint64, each uint64) (lasts []uint64) {
	sampled, items := s.sampled()
	s = s.thinned()
	parts := len(bounds) - 1
	for p := range parts {
		first, n := float64(bounds[p]), bounds[p+1]-bounds[p]
		ranges := min(max(ceilPow2((n+each-1)/each), LeastPart), floorPow2(max(MostPart/uint64(parts), 1)))
		step := float64(n) / float64(ranges)
		for j := uint64(1); j < ranges; j++ {
			lasts = append(lasts, s.between(first+float64(j)*step, step/16, true)...)
		}
		if p+1 < parts {
			// A sampled rank is off by items/(2·√sampled) in the standard deviation at most.
			lasts = append(lasts, s.between(float64(bounds[p+1]), 2*items/math.Sqrt(sampled), false)...)
		}
	}
	slices.Sort(lasts)
	return slices.Compact(lasts)
}

// between are the last keys that a border needs which may be off by some keys: one with a
// round number behind it, or the two of a range about the border.
func (s Sampled) between(rank, off float64, round bool) []uint64 {
	lo, hi := s.at(rank-off), s.at(rank+off)
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

func ceilPow2(n uint64) uint64  { return 1 << bits.Len64(n-1) }
func floorPow2(n uint64) uint64 { return 1 << bits.Len64(n) / 2 }

// Rooms is about how many keys of share i each range has, by its sample, and so many standard
// deviations more. A range without any in the sample has some as if it had one.
func (s Sampled) Rooms(i int, lasts []uint64, deviations float64) (rooms []uint64) {
	keys, items, before := s.Keys[i], float64(s.Items[i]), 0
	for k := 0; k <= len(lasts); k++ {
		upTo := len(keys)
		if k < len(lasts) {
			upTo = below(keys, lasts[k])
		}
		n := float64(len(keys))
		part := float64(upTo-before) / n
		rooms = append(rooms, uint64(items*(part+deviations*math.Sqrt(max(part*(1-part), 1/n)/n)))+1)
		before = upTo
	}
	return rooms
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
