package merging

import (
	"errors"
	"reflect"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/op"
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
// returns, after a panic of cmp, which it passes on, or its runtime.Goexit, x holds all its
// items. So it does, in some order, if cmp contradicts itself.
// By desc the order is the reverse of cmp's. A cmp that is nil is refused.
func Func[T any](x []T, cmp func(a, b T) int, desc bool, h cpu.Options) error {
	if cmp == nil {
		return op.Refuse("the comparison is nil: give a function of two items")
	}
	if desc {
		forwards := cmp
		cmp = func(a, b T) int { return forwards(b, a) }
	}
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
	cmp   func(a, b T) int
	team  team.Options
	early team.Early
}

func (s *funcSort[T]) sort(x []T) (err error) {
	n := len(x)
	from, to := x, []T(nil)
	if values.HasPointers(reflect.TypeFor[T]()) {
		to = make([]T, n)
	} else {
		to = cpu.Results[T](n)
	}
	defer func() { // which is done if this goroutine ends, too
		if &from[0] != &x[0] {
			// Not cut short: x is whole when it is done.
			_ = team.Options{Workers: s.team.Workers}.Steps(n, 16, func(lo, hi int) { copy(x[lo:hi], from[lo:hi]) })
		}
		s.early.Repeat()
	}()
	err = s.each((n+blockItems-1)/blockItems, func(i int) {
		lo, hi := i*blockItems, min(n, (i+1)*blockItems)
		s.block(x[lo:hi], to[lo:hi])
	})
	for length := blockItems; length < n && err == nil; length *= 2 {
		if err = s.pass(from, to, length); err == nil {
			from, to = to, from
		}
	}
	return err
}

// errCut is the error that nobody sees: a panic or the end of a goroutine goes before it.
var errCut = errors.New("a comparison did not return")

// each is EachUntil, until cmp does not return, too.
func (s *funcSort[T]) each(n int, f func(i int)) error {
	err := s.team.EachUntil(n, func(i int) {
		if !s.early.Ended() {
			s.early.Do(func() { f(i) }, nil)
		}
	})
	if err == nil && s.early.Ended() {
		err = errCut
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

// cutItems is how many cuts a worker finds at a time.
const cutItems = 64

// pass merges pairs of neighbouring runs of the given length, in slices that lie in one pair each.
func (s *funcSort[T]) pass(from, to []T, length int) error {
	n, per := len(from), min(sliceItems, 2*length)
	parts := (n + per - 1) / per
	cuts := make([]int, parts) // where the first run of its pair is cut, by slice
	if per < 2*length {
		err := s.each((parts+cutItems-1)/cutItems, func(i int) {
			for k := i * cutItems; k < min(parts, (i+1)*cutItems); k++ {
				if a, b, at := pairAt(from, length, k*per); at != 0 {
					cuts[k] = s.path(a, b, at)
				}
			}
		})
		if err != nil {
			return err
		}
		// Where cmp contradicts itself cuts may go back, or too far: then they are put where no item is lost.
		for k := 1; k < parts; k++ {
			if k*per%(2*length) != 0 {
				cuts[k] = min(max(cuts[k], cuts[k-1]), cuts[k-1]+per)
			}
		}
	}
	return s.each(parts, func(k int) {
		lo, hi := k*per, min(n, (k+1)*per)
		a, b, at := pairAt(from, length, lo)
		a0, a1 := cuts[k], len(a)
		if hi-lo < len(a)+len(b)-at {
			a1 = cuts[k+1]
		}
		s.merge(to[lo:hi], a[a0:a1], b[at-a0:at+hi-lo-a1])
	})
}

// pairAt is the pair of runs of the given length in which place lo is, and which place of it that is.
func pairAt[T any](x []T, length, lo int) (a, b []T, at int) {
	n := len(x)
	first := lo / (2 * length) * (2 * length)
	mid, end := min(n, first+length), min(n, first+2*length)
	return x[first:mid], x[mid:end], lo - first
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
