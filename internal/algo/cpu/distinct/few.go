package distinct

import (
	"slices"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

const (
	// sampleItems keys show whether few are distinct: if at most half of them are.
	sampleItems = 1024
	// fewBits is the logarithm of a table's length, which is filled to a half.
	fewBits = 13
	mostFew = 1 << (fewBits - 1)
)

// table counts keys: open addressing, at most half full. A free slot has no count.
type table[U key.Word] struct {
	keys   [1 << fewBits]U
	counts [1 << fewBits]uint64
	used   int
}

// slot is where u is looked for first.
func slot[U key.Word](u U) uint64 {
	v := uint64(u)
	return (v ^ v>>29) * 0x9e3779b97f4a7c15 >> (64 - fewBits)
}

// addAll counts x, and returns false if the table is full.
func (t *table[U]) addAll(x []U) bool {
	for _, u := range x {
		at := slot(u)
		if t.keys[at] == u && t.counts[at] != 0 {
			t.counts[at]++
		} else if !t.add(u, 1) {
			return false
		}
	}
	return true
}

// add adds n of u, and returns false if the table is full.
func (t *table[U]) add(u U, n uint64) bool {
	at := slot(u)
	for t.counts[at] != 0 && t.keys[at] != u {
		at = (at + 1) % (1 << fewBits)
	}
	if t.counts[at] == 0 {
		if t.used == mostFew {
			return false
		}
		t.keys[at] = u
		t.used++
	}
	t.counts[at] += n
	return true
}

// sampledFew reports whether a sample of x has few distinct keys.
func sampledFew[U key.Word](x []U) bool {
	if len(x) < 16*sampleItems {
		return false
	}
	var s [sampleItems]U
	for i := range s {
		s[i] = x[i*(len(x)/sampleItems)]
	}
	slices.Sort(s[:])
	return len(slices.Compact(s[:])) <= sampleItems/2
}

// countFew counts the keys of x in tables, if there are few distinct ones: encoded keys in
// order and how often each occurs. It returns false where they are too many.
func countFew[U key.Word](x []U, c key.Codec, h cpu.Options) (keys []U, counts []uint64, ok bool, err error) {
	t := h.Team()
	workers := min(t.Size(), len(x)/chunkItems+1)
	tables := make([]*table[U], workers)
	var next atomic.Int64
	var full atomic.Bool
	if err := t.EachUntil(workers, func(w int) {
		tab := new(table[U])
		tables[w] = tab
		for lo := int(next.Add(1)-1) * chunkItems; lo < len(x) && !full.Load() && !t.Done(); lo = int(next.Add(1)-1) * chunkItems {
			if !tab.addAll(x[lo:min(len(x), lo+chunkItems)]) {
				full.Store(true)
			}
		}
	}); err != nil {
		return nil, nil, false, err
	}
	if err := h.Err(); err != nil || full.Load() {
		return nil, nil, false, err
	}
	all := tables[0]
	for _, tab := range tables[1:] {
		for at, n := range tab.counts {
			if n > 0 && !all.add(tab.keys[at], n) {
				return nil, nil, false, nil
			}
		}
	}
	for at, n := range all.counts {
		if n > 0 {
			keys, counts = append(keys, all.keys[at]), append(counts, n)
		}
	}
	cpu.Encode(keys, keys, c&^key.CodecEqualZeros)
	return keys, counts, true, cpu.Pairs(keys, counts, key.CodecUnsigned, h)
}

// few is tally by countFew, which has nothing to sort but the distinct keys.
func few[U key.Word](x []U, c key.Codec, h cpu.Options, alloc func(n int) key.Slice) (starts []int, ok bool, err error) {
	if !sampledFew(x) {
		return nil, false, nil
	}
	values, counts, ok, err := countFew(x, c, h)
	if !ok || err != nil {
		return nil, false, err
	}
	cpu.Decode(values, values, c&^key.CodecEqualZeros)
	m, at := key.MapOf[U](c), 0
	n := 0
	for i, u := range values {
		if i == 0 || m.Of(values[i-1]) != m.Of(u) {
			starts = append(starts, at)
		}
		at += int(counts[i])
	}
	out := key.Words[U](alloc(len(starts)))
	for i, u := range values {
		if i == 0 || m.Of(values[i-1]) != m.Of(u) {
			out[n] = u
			n++
		}
	}
	return append(starts, at), true, nil
}
