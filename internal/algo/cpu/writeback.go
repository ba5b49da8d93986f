package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// writeBack sorts the buckets, which are all elements, in order and none longer than the
// room, and writes them to their places.
func (s *bounded[E, C]) writeBack(buckets []bucket) {
	tmp := getScratch[E](min(s.room, s.n))
	defer tmp.put()
	for at := 0; len(buckets) > 0 && !s.cancelled(); {
		g, n := 1, buckets[0].n()
		for g < len(buckets) && n+buckets[g].n() <= s.room {
			n += buckets[g].n()
			g++
		}
		s.group(buckets[:g], buckets[g:], tmp.s[:n], at)
		at, buckets = at+n, buckets[g:]
	}
}

// group sorts the buckets of group in e, which has their length, and writes them to
// places at, at+1, …, which may hold elements of rest.
func (s *bounded[E, C]) group(group, rest []bucket, e []E, at int) {
	parts := s.take(group, e)
	if s.cancelled() {
		return // nothing has been written
	}
	moves := vacate(group, rest, span{at, at + len(e)})
	done := make([]bool, len(moves))
	s.each(len(moves), func(_, i int) {
		if m := moves[i]; !s.cancelled() {
			s.c.move(m.to, m.from, m.n)
			done[i] = true
		}
	})
	if s.cancelled() {
		s.giveBack(group, e, span{at, at + len(e)}, moves, done)
		return
	}
	s.sortParts(e, nil, at, parts, s.workers)
}

// giveBack writes e, in some order, to the places that are free when some moves have
// been done to make room for it in t: those of group, those that have been left, and
// not those that have been taken.
func (s *bounded[E, C]) giveBack(group []bucket, e []E, t span, moves []move, done []bool) {
	var free spanned
	for i := range group {
		for _, g := range group[i].spans {
			if g.lo < t.hi {
				free.add(g.lo, min(g.hi, t.hi))
			}
		}
	}
	for i, m := range moves {
		if done[i] {
			free.add(m.from, m.from+m.n)
		} else {
			free.add(m.to, m.to+m.n)
		}
	}
	step := moveItems
	s.eachOf(s.finishers(s.workers), (len(e)+step-1)/step, func(_, i int) {
		from := i * step
		free.each(from, min(len(e), from+step), func(lo, hi int) {
			s.emit(e[from:from+hi-lo], lo)
			from += hi - lo
		})
	})
}

// take copies the buckets of group to e, one behind the other, and divides those that
// are too long for a leaf. It returns what e then is made of. The caller's slices are
// only read.
func (s *bounded[E, C]) take(group []bucket, e []E) []part {
	lo := make([]int, len(group)+1)
	var long, short []int
	for i := range group {
		n := group[i].n()
		lo[i+1] = lo[i] + n
		if n > len(e)/(2*s.workers) {
			long = append(long, i)
		} else {
			short = append(short, i)
		}
	}
	found := make([][]part, len(group))
	take := func(i, workers int) {
		found[i] = s.takeBucket(&group[i], e[lo[i]:lo[i+1]], lo[i], workers)
	}
	for _, i := range long {
		take(i, s.workers)
	}
	s.each(len(short), func(_, i int) { take(short[i], 1) })
	var all []part
	for _, p := range found {
		all = append(all, p...)
	}
	return all
}

// takeBucket is take for one bucket, whose place in e, of all buckets, is at.
func (s *bounded[E, C]) takeBucket(b *bucket, e []E, at, workers int) []part {
	n := len(e)
	load, tally := s.reader(b)
	pieces := max(1, min(workers, n/(8*blockItems)))
	if n <= boundedLeaf/int(unsafe.Sizeof(e[0])) || b.top <= s.low || !simd.Available() {
		s.eachOf(pieces, pieces, func(_, p int) {
			lo, hi := chunk(n, pieces, p)
			for ; lo < hi && !s.cancelled(); lo += blockItems {
				end := min(hi, lo+blockItems)
				load(lo, end, e[lo:end])
			}
		})
		return []part{{at, at + n, b.top}}
	}
	d, places := s.count(load, tally, n, pieces, b.top)
	if s.cancelled() {
		return nil
	}
	start := startsOf(places)
	s.each(pieces, func(_, p int) {
		lo, hi := chunk(n, pieces, p)
		s.distribute(load, e, &places[p], lo, hi, d)
	})
	var parts []part
	for v := range radix {
		if start[v] < start[v+1] {
			parts = append(parts, part{at + start[v], at + start[v+1], d.shift})
		}
	}
	return parts
}
