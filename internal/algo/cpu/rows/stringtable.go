package rows

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
)

const (
	// partStrings is the least number of strings that is worth a table of its own.
	partStrings = 1 << 16
	// tableMin is how many distinct strings a table has room for at first. Too many are that many
	// besides twice those expected or one in repeatedAlike/2 of those that have been counted, or
	// twice repeatedMost.
	tableMin = 1 << 12
)

// countStrings returns distinct strings of s and how often each occurs: one may be listed once for each
// worker, which together have all of it. It returns none where too many are distinct, of which so many
// are expected, or one is long.
func countStrings(h cpu.Options, s []string, expected int) (words []string, counts []int, err error) {
	t := h.Team()
	tables := make([]stringTable, t.Parts(len(s), partStrings))
	seed := maphash.MakeSeed()
	var tooMany atomic.Bool
	t.Each(len(tables), func(p int) {
		lo, hi := team.Chunk(len(s), len(tables), p)
		own := newStringTable(seed) // of this worker: counts of others lie elsewhere
		for from := lo; from < hi; from += lookItems {
			if tooMany.Load() || h.Err() != nil {
				return
			}
			if !own.addAll(s[from:min(hi, from+lookItems)]) || len(own.words) > min(2*repeatedMost, tableMin+max(2*expected, (from-lo)/(repeatedAlike/2))) {
				tooMany.Store(true)
				return
			}
		}
		tables[p] = own
	})
	if err := h.Err(); err != nil || tooMany.Load() {
		return nil, nil, err
	}
	for _, own := range tables {
		words, counts = append(words, own.words...), append(counts, own.counts...)
	}
	return words, counts, nil
}

// stringTable counts strings: open addressing by the highest bits of their hashes.
type stringTable struct {
	seed   maphash.Seed
	slots  []stringSlot // a power of two; half of them are taken at most
	shift  uint
	words  []string // the distinct ones
	counts []int
}

// stringSlot is the lowest bits of a hash and the place of its string in words, plus 1; 0 of a free slot.
type stringSlot struct{ tag, place uint32 }

func newStringTable(seed maphash.Seed) stringTable {
	t := stringTable{seed: seed}
	t.resize(2 * tableMin)
	return t
}

// resize makes so many slots.
func (t *stringTable) resize(slots int) {
	t.slots, t.shift = make([]stringSlot, slots), uint(65-bits.Len(uint(slots)))
	for i, w := range t.words {
		h := maphash.String(t.seed, w)
		at := int(h >> t.shift)
		for t.slots[at].place != 0 {
			at = (at + 1) & (slots - 1)
		}
		t.slots[at] = stringSlot{uint32(h), uint32(i + 1)}
	}
}

// addAll counts the strings of s. It returns false if one is longer than repeatedBytes.
func (t *stringTable) addAll(s []string) bool {
	for len(s) > 0 {
		part := s[:min(len(s), bytekeys.TouchRows)]
		if _, longest := touchStrings(part); longest > repeatedBytes {
			return false
		}
		for _, w := range part {
			t.add(w)
		}
		s = s[len(part):]
	}
	return true
}

// touchStrings reads the first byte of each, so that all of them are fetched from memory at once, and
// returns how long they are at most. Inlined, it would read none.
//
//go:noinline
func touchStrings(s []string) (sum byte, longest int) {
	for _, w := range s {
		if longest = max(longest, len(w)); w != "" {
			sum += w[0]
		}
	}
	return sum, longest
}

func (t *stringTable) add(w string) {
	h := maphash.String(t.seed, w)
	for at := int(h >> t.shift); ; at++ {
		slot := &t.slots[at&(len(t.slots)-1)]
		if slot.place == 0 {
			t.words, t.counts = append(t.words, w), append(t.counts, 1)
			*slot = stringSlot{uint32(h), uint32(len(t.words))}
			if len(t.words) > len(t.slots)/2 {
				t.resize(2 * len(t.slots))
			}
			return
		}
		if slot.tag == uint32(h) && t.words[slot.place-1] == w {
			t.counts[slot.place-1]++
			return
		}
	}
}
