package cpu

import (
	"cmp"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/key"
)

const (
	// tieSteps is how many words are looked at for ties between two looks at the
	// context.
	tieSteps = 1 << 16
	// longTie is the longest run of ties that one worker sorts: its records and
	// their copy then have 2 MiB.
	longTie = 1 << 16
)

// breakTies sorts runs of words that agree in their high half by the whole key
// and then the position, which is their order so far. w is in order, if the sort is
// not cancelled. Each worker takes parts that end where a run does; runs too long
// for one are left to all together.
func breakTies(r *run, w []uint64, k []uint64, c key.Codec) {
	parts := max(1, min(4*r.workers, len(w)/(8*blockItems)))
	// ends holds where each part ends, none inside of a run. They are found before
	// any run is sorted: searching beside that would read words while they move.
	ends := make([]int, parts)
	for p := range ends {
		_, e := chunk(len(w), parts, p)
		ends[p] = e - 1 + tied(w[e-1:])
	}
	var mu sync.Mutex
	var long [][]uint64
	r.each(parts, func(_, p int) {
		i, hi, look := 0, ends[p], 0
		if p > 0 {
			i = ends[p-1]
		}
		for i < hi {
			if i >= look {
				if r.cancelled() {
					return
				}
				look = i + tieSteps
			}
			e := i + 1
			for e < hi && w[e]>>32 == w[i]>>32 {
				if e++; e-i == insertionMax {
					e = i + tied(w[i:hi])
					break
				}
			}
			if e-i > longTie {
				mu.Lock()
				long = append(long, w[i:e])
				mu.Unlock()
			} else if e-i > 1 {
				sortTies(w[i:e], k, c)
			}
			i = e
		}
	})
	for _, w := range long {
		sortLongTie(r, w, k, c)
	}
}

// tied returns how many words at the front of w, which is not empty and in order,
// agree in their high half.
func tied(w []uint64) int {
	return sort.Search(len(w), func(i int) bool { return w[i]>>32 > w[0]>>32 })
}

// sortTies sorts the positions of one run.
func sortTies(w []uint64, k []uint64, c key.Codec) {
	encodedKey := func(v uint64) uint64 { return key.Encode(c, k[uint32(v)]) }
	if inOrder(w, encodedKey) {
		return // equal keys are
	}
	if len(w) <= insertionMax {
		slices.SortStableFunc(w, func(a, b uint64) int { return cmp.Compare(encodedKey(a), encodedKey(b)) })
		return
	}
	s := getScratch[rec](2 * len(w))
	defer s.put()
	a, b := s.s[:len(w)], s.s[len(w):]
	for i, v := range w {
		a[i] = rec{encodedKey(v), v}
	}
	if leafSort(a, b, 0, 64) {
		a = b
	}
	for i := range w {
		w[i] = a[i].v
	}
}

// inOrder reports whether the encoded keys of w, which is not empty, are in order.
func inOrder(w []uint64, encodedKey func(v uint64) uint64) bool {
	last := encodedKey(w[0])
	for _, v := range w[1:] {
		next := encodedKey(v)
		if next < last {
			return false
		}
		last = next
	}
	return true
}

// sortLongTie is sortTies by all workers: an argsort of its own, if the keys are not
// in order, as equal ones are.
func sortLongTie(r *run, w []uint64, k []uint64, c key.Codec) {
	encodedKey := func(v uint64) uint64 { return key.Encode(c, k[uint32(v)]) }
	var fall atomic.Bool
	r.each((len(w)+tieSteps-1)/tieSteps, func(_, p int) {
		if fall.Load() || r.cancelled() {
			return
		}
		if !inOrder(w[p*tieSteps:min(len(w), (p+1)*tieSteps+1)], encodedKey) {
			fall.Store(true)
		}
	})
	if !fall.Load() || r.cancelled() {
		return
	}
	j := job[rec]{run: r, n: len(w), drop: true}
	j.block = func(i, k int, buf []rec) []rec {
		for at, v := range w[i:k] {
			buf[at] = rec{encodedKey(v), v}
		}
		return buf[:k-i]
	}
	j.emit = func(e []rec, at int) {
		for i := range e {
			w[at+i] = e[i].v
		}
	}
	j.sort()
}
