package run

import "hash/maphash"

const (
	// repeatBytes is the longest key whose repeats are found.
	repeatBytes = 31
	// mostRepeats bounds the keys that are remembered, a power of two.
	mostRepeats = 1 << 16
	// triedRepeats is after how many keys too few repeats end the looking for them.
	triedRepeats = 1 << 16
)

// repeats remembers keys of rows that a parser has kept, some of them, so that most rows that
// tie with an earlier one are dropped before they take room: parsers get batches in rising
// order, so a row that is remembered precedes the one at hand. One goroutine uses it.
type repeats struct {
	seed         maphash.Seed
	slots        []keySlot // pairs; the first of a pair came last
	tried, found int
}

type keySlot struct {
	size uint8 // bytes of the key, and one more
	key  [repeatBytes]byte
}

// repeating reports whether rows that tie with an earlier one may be dropped on parsing.
func (o Options) repeating() bool {
	tailed := o.Tail && o.Format.Encoder() != nil
	return o.Unique && o.Count == nil && o.Observe == nil && !o.selecting() && !tailed
}

// newRepeats makes room for keys that takes little of the memory.
func (o Options) newRepeats() *repeats {
	n := mostRepeats
	for uint64(n*o.Workers)*(repeatBytes+1) > o.Budget/32 {
		n /= 2
	}
	return &repeats{seed: maphash.MakeSeed(), slots: make([]keySlot, max(n, 2))}
}

// few reports whether so few keys were repeats that looking for them does not pay.
func (r *repeats) few() bool { return r.tried >= triedRepeats && r.found < r.tried/8 }

// seen reports whether a key is known to be that of an earlier row, and else remembers it.
func (r *repeats) seen(key []byte) bool {
	r.tried++
	if len(key) > repeatBytes {
		return false
	}
	at := int(maphash.Bytes(r.seed, key)) & (len(r.slots) - 2)
	pair := r.slots[at : at+2 : at+2]
	for i := range pair {
		if s := &pair[i]; int(s.size) == len(key)+1 && string(s.key[:len(key)]) == string(key) {
			r.found++
			return true
		}
	}
	pair[1] = pair[0]
	pair[0].size = uint8(len(key) + 1)
	copy(pair[0].key[:], key)
	return false
}
