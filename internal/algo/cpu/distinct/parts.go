package distinct

import (
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

const (
	// partBits are the highest bits of hashes, by which they are divided into parts.
	partBits = 8
	// mostInPart is how many distinct keys of a part are counted at most.
	mostInPart = 1 << 15
)

// countParts counts the keys of x, of which about so many are distinct, by parts whose
// tables the level-2 cache holds, and writes them to room.
func countParts[U key.Word](x []U, distinct int, by hash, h cpu.Options, room func(n int) ([]U, []int)) (ok bool, err error) {
	words, put := cpu.Buffer[uint64](len(x))
	defer put()
	starts, err := cpu.Scatter(words, func(lo, hi int, buf []uint64) { hashTo(buf, x[lo:hi], by) }, h)
	if err != nil {
		return false, err
	}
	t := h.Team()
	parts := len(starts) - 1
	lists := make([][]uint64, parts) // as table.list makes them
	var full atomic.Bool
	err = t.EachUntil(parts, func(i int) {
		if !full.Load() {
			var ok bool
			if lists[i], ok = countPart(words[starts[i]:starts[i+1]], distinct/parts, t.Done); !ok {
				full.Store(true)
			}
		}
	})
	if err == nil {
		err = h.Err()
	}
	if err != nil || full.Load() {
		return false, err
	}
	firsts := make([]int, parts+1) // distinct keys of the parts before
	for i, list := range lists {
		firsts[i+1] = firsts[i] + len(list)/2
	}
	values, counts := room(firsts[parts])
	return true, t.EachUntil(parts, func(i int) {
		lo, hi := firsts[i], firsts[i+1]
		unlist(values[lo:hi], counts[lo:hi], lists[i], by)
	})
}

// countPart counts words, hashes of one part of which about so many are distinct, and
// returns the list of a table, which takes the place of words if it fits there. It returns
// false if they are more than mostInPart, or stop says so.
func countPart(words []uint64, distinct int, stop func() bool) (list []uint64, ok bool) {
	for distinct++; distinct <= mostInPart; distinct *= 2 {
		t := newTable(distinct, partBits)
		defer t.put()
		left := words
		for len(left) > 0 && !stop() && t.addAll(left[:min(chunkItems, len(left))]) {
			left = left[min(chunkItems, len(left)):]
		}
		if stop() {
			break
		}
		if len(left) > 0 {
			continue
		}
		if list = words; len(list) < t.listed() {
			list = make([]uint64, t.listed())
		}
		return list[:2*t.list(list)], true
	}
	return nil, false
}
