package cpu

import "sort"

// span is the places [lo, hi) of the caller's slices.
type span struct{ lo, hi int }

// spanned is elements that lie in some places of the caller's slices, in the order
// of the spans, whichever comes first in memory.
type spanned struct {
	spans []span
	ends  []int // ends[i] is the number of elements in spans[:i+1]
}

// n is the number of elements.
func (s *spanned) n() int {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// add appends the elements at [lo, hi).
func (s *spanned) add(lo, hi int) {
	if lo == hi {
		return
	}
	if last := len(s.spans) - 1; last >= 0 && s.spans[last].hi == lo {
		s.spans[last].hi = hi
		s.ends[last] += hi - lo
		return
	}
	s.ends = append(s.ends, s.n()+hi-lo)
	s.spans = append(s.spans, span{lo, hi})
}

// each calls f for the places of elements [i, k), in order.
func (s *spanned) each(i, k int, f func(lo, hi int)) {
	if i >= k {
		return
	}
	for at := sort.SearchInts(s.ends, i+1); i < k; at++ {
		g := s.spans[at]
		lo := g.hi - (s.ends[at] - i)
		hi := min(g.hi, lo+k-i)
		f(lo, hi)
		i += hi - lo
	}
}

// bucket is elements whose words agree from bit top on.
type bucket struct {
	spanned
	top uint
}

// cut appends to out b in parts of at most so many elements.
func (b *bucket) cut(most int, out []bucket) []bucket {
	for i := 0; i < b.n(); i += most {
		part := bucket{top: b.top}
		b.each(i, min(b.n(), i+most), part.add)
		out = append(out, part)
	}
	return out
}

// move is n elements that go from one place to another.
type move struct{ to, from, n int }

// moveItems is the most elements of a move: about a quarter of a millisecond.
const moveItems = 1 << 16

// vacate plans moves of all elements of rest that lie in the places of t to those
// behind t that the elements of group, as many as t has places, have left. Nothing
// lies before t, and rest is then where the moves put it.
//
// Each step takes away the spans of group, and cuts others into no more pieces than
// those had: together they become no more.
func vacate(group, rest []bucket, t span) []move {
	var holes []span
	for i := range group {
		for _, g := range group[i].spans {
			if g.hi > t.hi {
				holes = append(holes, span{max(g.lo, t.hi), g.hi})
			}
		}
	}
	var moves []move
	for i := range rest {
		b, inside := &rest[i], false
		for _, g := range b.spans {
			inside = inside || g.lo < t.hi
		}
		if !inside {
			continue
		}
		var next spanned
		for _, g := range b.spans {
			for end := min(g.hi, t.hi); g.lo < end; {
				h := &holes[0]
				n := min(h.hi-h.lo, end-g.lo, moveItems)
				moves = append(moves, move{h.lo, g.lo, n})
				next.add(h.lo, h.lo+n)
				h.lo += n
				g.lo += n
				if h.lo == h.hi {
					holes = holes[1:]
				}
			}
			next.add(g.lo, g.hi)
		}
		b.spanned = next
	}
	return moves
}
