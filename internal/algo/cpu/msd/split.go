package msd

import (
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
)

// sorter is one sort.
type sorter[U key.Word, V uint32 | uint64] struct{ o team.Options }

// each calls f for the parts of [0, n), one a worker.
func (s *sorter[U, V]) each(n int, f func(lo, hi int)) {
	parts := s.o.Parts(n, leastPart)
	s.o.Each(parts, func(p int) {
		lo, hi := team.Chunk(n, parts, p)
		f(lo, hi)
	})
}

// top sorts a, whose encoded keys agree above the digit at shift, by all workers. The
// result lies in b if over is set, else in a; the other is scratch. Buckets that
// would keep one worker long are split by all again. A cancelled sort leaves
// what it has where the result belongs.
func (s *sorter[U, V]) top(a, b span[U, V], shift uint, over bool) {
	n := len(a.k)
	parts := s.o.Parts(n, leastPart)
	if parts == 1 || s.o.Err() != nil {
		s.level(a, b, shift, over)
		return
	}
	places := make([][digits]int, parts)
	s.o.Each(parts, func(p int) {
		lo, hi := team.Chunk(n, parts, p)
		count(a.k[lo:hi], &places[p], shift)
	})
	var start [digits + 1]int
	sum := 0
	for d := range digits {
		start[d] = sum
		for p := range places {
			places[p][d], sum = sum, sum+places[p][d]
		}
	}
	start[digits] = n
	s.o.Each(parts, func(p int) {
		lo, hi := team.Chunk(n, parts, p)
		scatter(a.sub(lo, hi), b, &places[p], shift)
	})
	if shift == 0 {
		if !over {
			s.each(n, func(lo, hi int) { a.sub(lo, hi).copyFrom(b.sub(lo, hi)) })
		}
		return
	}
	large := n/s.o.Size() + 1
	var rest []int
	for d := range digits {
		lo, hi := start[d], start[d+1]
		switch {
		case lo == hi:
		case hi-lo > large:
			s.top(b.sub(lo, hi), a.sub(lo, hi), shift-digitBits, !over)
		default:
			rest = append(rest, d)
		}
	}
	s.o.Each(len(rest), func(i int) {
		lo, hi := start[rest[i]], start[rest[i]+1]
		s.level(b.sub(lo, hi), a.sub(lo, hi), shift-digitBits, !over)
	})
}

// level is top on one goroutine.
func (s *sorter[U, V]) level(a, b span[U, V], shift uint, over bool) {
	n := len(a.k)
	if n <= insertionMax || n > 1<<12 && s.o.Err() != nil {
		if n <= insertionMax {
			insertion(a)
		}
		if over {
			b.copyFrom(a)
		}
		return
	}
	var start [digits + 1]int
	var places [digits]int
	count(a.k, &places, shift)
	sum := 0
	for d, c := range places {
		if c == n { // all in one bucket: nothing to move
			if shift > 0 {
				s.level(a, b, shift-digitBits, over)
			} else if over {
				b.copyFrom(a)
			}
			return
		}
		start[d], places[d] = sum, sum
		sum += c
	}
	start[digits] = n
	scatter(a, b, &places, shift)
	if shift == 0 {
		if !over {
			a.copyFrom(b)
		}
		return
	}
	for d := range digits {
		if lo, hi := start[d], start[d+1]; lo < hi {
			s.level(b.sub(lo, hi), a.sub(lo, hi), shift-digitBits, !over)
		}
	}
}

func count[U key.Word](k []U, counts *[digits]int, shift uint) {
	for _, u := range k {
		counts[uint8(u>>shift)]++
	}
}

// scatter moves a's items to their digits' places in b.
func scatter[U key.Word, V uint32 | uint64](a, b span[U, V], places *[digits]int, shift uint) {
	if a.v == nil {
		for _, u := range a.k {
			d := uint8(u >> shift)
			b.k[places[d]] = u
			places[d]++
		}
		return
	}
	for i, u := range a.k {
		d := uint8(u >> shift)
		b.k[places[d]], b.v[places[d]] = u, a.v[i]
		places[d]++
	}
}

// insertion sorts a few items by their whole encoded keys, stably.
func insertion[U key.Word, V uint32 | uint64](a span[U, V]) {
	for i := 1; i < len(a.k); i++ {
		u, j := a.k[i], i
		if a.v == nil {
			for ; j > 0 && a.k[j-1] > u; j-- {
				a.k[j] = a.k[j-1]
			}
			a.k[j] = u
			continue
		}
		v := a.v[i]
		for ; j > 0 && a.k[j-1] > u; j-- {
			a.k[j], a.v[j] = a.k[j-1], a.v[j-1]
		}
		a.k[j], a.v[j] = u, v
	}
}
