package merging

import (
	"errors"
	"reflect"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
)

const (
	// blockItems are sorted by one worker, sliceItems merged: little, since nobody knows
	// how long a comparison takes, and the context is looked at between.
	blockItems = 1 << 10
	sliceItems = 1 << 12
	// insertedItems are sorted by insertion.
	insertedItems = 16
)

// Func sorts x by cmp, which is negative where its first argument belongs before its second, and
// may be called by several goroutines. Items that it calls equal keep their order. A
// merge sort, with scratch as long as x. After the context's end, whose error it
// returns, or a panic of cmp, which it passes on, x holds all its items.
func Func[T any](x []T, cmp func(a, b T) int, h cpu.Options) error {
	if err := h.Err(); err != nil {
		return err
	}
	disorder := 1
	for disorder < len(x) && cmp(x[disorder-1], x[disorder]) <= 0 {
		if disorder++; disorder%sliceItems == 0 && h.Err() != nil {
			return h.Err()
		}
	}
	if disorder >= len(x) {
		return nil
	}
	s := funcSort[T]{cmp: cmp, team: h.Team()}
	return s.sort(x)
}

type funcSort[T any] struct {
	cmp      func(a, b T) int
	team     team.Options
	panicked atomic.Pointer[any]
}

func (s *funcSort[T]) sort(x []T) error {
	n := len(x)
	from, to := x, []T(nil)
	if values.HasPointers(reflect.TypeFor[T]()) {
		to = make([]T, n)
	} else {
		to = cpu.Results[T](n)
	}
	err := s.each((n+blockItems-1)/blockItems, func(i int) {
		lo, hi := i*blockItems, min(n, (i+1)*blockItems)
		s.block(x[lo:hi], to[lo:hi])
	})
	for length := blockItems; length < n && err == nil; length *= 2 {
		per := min(sliceItems, 2*length) // of one pair of runs
		if err = s.each((n+per-1)/per, func(i int) {
			s.slice(from, to, length, i*per, min(n, (i+1)*per))
		}); err == nil {
			from, to = to, from
		}
	}
	if &from[0] != &x[0] {
		// Not cut short: x is whole when it is done.
		_ = team.Options{Workers: s.team.Workers}.Steps(n, 16, func(lo, hi int) { copy(x[lo:hi], from[lo:hi]) })
	}
	if p := s.panicked.Load(); p != nil {
		panic(*p)
	}
	return err
}

// each is EachUntil, until f panics, too; the error is then one that nobody sees.
func (s *funcSort[T]) each(n int, f func(i int)) error {
	err := s.team.EachUntil(n, func(i int) {
		if s.panicked.Load() != nil {
			return
		}
		defer func() {
			if p := recover(); p != nil {
				s.panicked.CompareAndSwap(nil, &p)
			}
		}()
		f(i)
	})
	if p := s.panicked.Load(); p != nil && err == nil {
		err = errors.New("a comparison panicked")
	}
	return err
}

// block sorts x, which is whole after a panic, too; tmp is as long.
func (s *funcSort[T]) block(x, tmp []T) {
	n := len(x)
	for lo := 0; lo < n; lo += insertedItems {
		s.insert(x[lo:min(n, lo+insertedItems)])
	}
	from, to := x, tmp
	defer func() {
		if &from[0] != &x[0] {
			copy(x, from)
		}
	}()
	for length := insertedItems; length < n; length *= 2 {
		for lo := 0; lo < n; lo += 2 * length {
			mid, hi := min(n, lo+length), min(n, lo+2*length)
			s.merge(to[lo:hi], from[lo:mid], from[mid:hi])
		}
		from, to = to, from
	}
}

// insert sorts x, comparing before it moves anything.
func (s *funcSort[T]) insert(x []T) {
	for i := 1; i < len(x); i++ {
		if s.cmp(x[i-1], x[i]) <= 0 {
			continue
		}
		lo, hi := 0, i-1
		for lo < hi {
			if mid := (lo + hi) / 2; s.cmp(x[mid], x[i]) <= 0 {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		item := x[i]
		copy(x[lo+1:i+1], x[lo:i])
		x[lo] = item
	}
}

// slice writes places [lo, hi) of the pass that merges runs of the given length. It
// lies in one pair of runs.
func (s *funcSort[T]) slice(from, to []T, length, lo, hi int) {
	n := len(from)
	first := lo / (2 * length) * (2 * length)
	mid, end := min(n, first+length), min(n, first+2*length)
	a, b := from[first:mid], from[mid:end]
	a0, a1 := s.path(a, b, lo-first), s.path(a, b, hi-first)
	s.merge(to[lo:hi], a[a0:a1], b[lo-first-a0:hi-first-a1])
}

// path is Path by cmp.
func (s *funcSort[T]) path(a, b []T, diagonal int) int {
	lo, hi := max(0, diagonal-len(b)), min(diagonal, len(a))
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); s.cmp(a[mid], b[diagonal-1-mid]) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// merge merges a and b into dst, of items that are equal a's first.
func (s *funcSort[T]) merge(dst, a, b []T) {
	if len(a) > 0 && len(b) > 0 && s.cmp(a[len(a)-1], b[0]) > 0 {
		for len(a) > 0 && len(b) > 0 {
			if s.cmp(b[0], a[0]) < 0 {
				dst[0], b = b[0], b[1:]
			} else {
				dst[0], a = a[0], a[1:]
			}
			dst = dst[1:]
		}
	}
	copy(dst[copy(dst, a):], b)
}
