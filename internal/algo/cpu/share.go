package cpu

import (
	"slices"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// share partitions segments until there is one for each worker, all together.
// If the sort is cancelled while x is being encoded, it restores the patterns and
// returns false.
func (j *vectorJob[U]) share(segments []segment[U], raw bool) ([]segment[U], bool) {
	// Bounded, since a partition may divide badly.
	for range 2 * j.workers {
		at := 0
		for i, g := range segments {
			if !g.equal && (segments[at].equal || g.len() > segments[at].len()) {
				at = i
			}
		}
		g := segments[at]
		if !raw && (len(segments) >= j.workers || g.equal || g.len() < forkItems || j.cancelled()) {
			break
		}
		low, high, ok := j.divide(g, raw, j.workers)
		if !ok {
			return segments, !raw
		}
		raw = false
		segments[at] = low
		if high.len() > 0 {
			segments = append(segments, high)
		}
	}
	return segments, true
}

// divide partitions g, so many workers together; high may be empty, low is not.
// It returns false if the sort is cancelled.
func (j *vectorJob[U]) divide(g segment[U], raw bool, workers int) (low, high segment[U], ok bool) {
	p := j.pivot(g, raw)
	equal := p == g.min && !raw
	if equal {
		if p++; p == 0 {
			g.equal = true
			return g, segment[U]{lo: g.hi, hi: g.hi}, true
		}
	}
	m, ok := j.partition(j.x[g.lo:g.hi], p, raw, workers)
	if !ok {
		return g, segment[U]{}, false
	}
	if min(m, g.len()-m) < g.len()/32 {
		g.lopsided++
	}
	low, high = g, g
	low.hi, low.equal = g.lo+m, equal
	high.lo, high.min = g.lo+m, p
	if m == 0 {
		return high, segment[U]{lo: g.hi, hi: g.hi}, true
	}
	return low, high, true
}

// pivot returns the median image of a sample.
func (j *vectorJob[U]) pivot(g segment[U], raw bool) U {
	var d [127]U
	seed := uint64(g.hi) ^ uint64(g.lopsided)<<32
	for i := range d {
		lo, hi := chunk(g.len(), len(d), i)
		seed = seed*0xd1342543de82ef95 + 0x9e3779b97f4a7c15
		d[i] = j.x[g.lo+lo+int((seed>>33)%uint64(hi-lo))]
	}
	if raw {
		j.codec.Encode(d[:])
	}
	insertion(d[:], 0)
	return d[len(d)/2]
}

// partition partitions x by pivot, so many workers together: each a stretch at a
// time, and then the words that lie on the wrong side of the joint boundary are
// swapped. If it is cancelled it returns false, and x is as it was, in another
// order.
func (j *vectorJob[U]) partition(x []U, pivot U, raw bool, workers int) (below int, ok bool) {
	n := len(x)
	parts := j.stretches(n, workers)
	split := make([]int, parts) // where each stretch is divided; −1: not done
	j.eachOf(workers, parts, func(_, i int) {
		split[i] = -1
		if j.cancelled() {
			return
		}
		s := getScratch[simd.Scratch[U]](1)
		defer s.put()
		lo, hi := chunk(n, parts, i)
		split[i] = lo + simd.Partition(x[lo:hi], pivot, &s.s[0], j.codec, raw)
	})
	if slices.Contains(split, -1) {
		if raw {
			for i, m := range split {
				if lo, hi := chunk(n, parts, i); m >= 0 {
					j.codec.Decode(x[lo:hi])
				}
			}
		}
		return 0, false
	}
	return j.join(x, split, workers), true
}

// stretches is the number of stretches of n words that so many workers partition
// together.
func (j *vectorJob[U]) stretches(n, workers int) int {
	parts := 1
	if workers > 1 {
		// Several for each, since one may be held up by other work.
		parts = max(1, min(4*workers, n/forkItems*2))
	}
	if j.unwatch != nil {
		parts = max(parts, n/stretchItems)
	}
	return parts
}

// join makes one partition of those of stretches, divided at split, and returns
// how many words are below.
func (j *vectorJob[U]) join(x []U, split []int, workers int) (below int) {
	for i, m := range split {
		lo, _ := chunk(len(x), len(split), i)
		below += m - lo
	}
	j.exchange(x, below, split, workers)
	return below
}

// exchange swaps the words that partitions of stretches left on the wrong side
// of below.
func (j *vectorJob[U]) exchange(x []U, below int, split []int, workers int) {
	var high, low [][]U // in front of the boundary but not below; and the reverse
	for i, m := range split {
		lo, hi := chunk(len(x), len(split), i)
		if end := min(hi, below); m < end {
			high = append(high, x[m:end])
		}
		if start := max(lo, below); start < m {
			low = append(low, x[start:m])
		}
	}
	type swap struct{ a, b []U }
	var swaps []swap
	for len(high) > 0 && len(low) > 0 {
		n := min(len(high[0]), len(low[0]), 1<<15)
		swaps = append(swaps, swap{high[0][:n], low[0][:n]})
		if high[0] = high[0][n:]; len(high[0]) == 0 {
			high = high[1:]
		}
		if low[0] = low[0][n:]; len(low[0]) == 0 {
			low = low[1:]
		}
	}
	j.eachOf(workers, len(swaps), func(_, i int) {
		simd.Swap(swaps[i].a, swaps[i].b)
	})
}
