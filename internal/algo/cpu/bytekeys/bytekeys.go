// Package bytekeys finds the stable order of byte strings, as bytes.Compare has it.
//
// What is sorted is a word of each string with its row, by the pair sort of package cpu.
// Rows whose words agree form a group, which is sorted by its next words, and so on. A
// group first skips the prefix that all of it shares. So a long common prefix is read
// once. Fewer than fewRows rows are compared. Rows whose strings are equal go on with those of
// another source, if there is one (Options.Tail).
//
// A word is the next 8 bytes where all strings of a group have one length. Otherwise it is
// the next 7 bytes and, in the lowest byte, how many bytes are left, 8 for more than 7. So
// a string comes before those that it is a prefix of, whatever bytes follow in them.
//
// Words would divide slowly what differs in the lengths of long runs of one byte. A group
// that stays together round after round is divided by comparing with one of its strings: the word
// is then the length of the common prefix, on either side (pivot.go). As in a quicksort,
// each row is in O(log n) of such rounds, as is to be expected.
package bytekeys

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
)

// Source has the byte strings. Its methods are called from several goroutines. The
// bytes do not change during a sort and are not written.
type Source interface {
	Len() int
	Bytes(row uint32) []byte
}

// TouchRows is how many strings are brought nearer at a time.
const TouchRows = 64

// Toucher is a Source that brings strings nearer faster than by its Bytes.
type Toucher interface {
	// Touch reads, of the strings of at most TouchRows rows, the first and the last of the n
	// bytes behind the first depth ones, as far as they are, so that all are fetched from
	// memory at once. It returns anything.
	Touch(rows []uint32, depth, n int) byte
}

// Options are the conditions of one sort.
type Options struct {
	Workers int  // goroutines at a time; 0 means GOMAXPROCS
	Desc    bool // the reverse order of strings; equal ones keep their order all the same
	Compact bool // scratch of CompactPerRow bytes a row, not 40
	// Tail, if not nil, has what rows with equal strings are ordered by.
	Tail Source
	// Guard, if not nil, is what each goroutine does its work in: all that reads strings.
	Guard func(work func())
}

// CompactPerRow is the most bytes a row that a compact Argsort takes besides idx and the
// strings, but for 4 MiB and 1.5 MiB a worker.
const CompactPerRow = 20

// fewRows is the number of rows below which they are compared.
const fewRows = 64

// Argsort writes to idx the rows of s in the order of their strings. Rows with equal
// strings are listed in their order. It panics if idx is not as long as s. The error is
// that of ctx, which may be nil; idx then holds anything.
func Argsort[S Source](ctx context.Context, idx []uint32, s S, o Options) error {
	n := s.Len()
	if len(idx) != n {
		panic(fmt.Sprintf("bytekeys: %d indices for %d strings: both must be equally many", len(idx), n))
	}
	for i := range idx {
		idx[i] = uint32(i)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	c := &job{idx: idx, ctx: ctx, workers: o.Workers, compact: o.Compact, guard: o.Guard}
	if o.Desc {
		c.flip = ^uint64(0)
	}
	if ctx != nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.done = ctx.Done()
	}
	t := newSorter(s, c)
	if o.Tail != nil {
		t.rest = newSorter(o.Tail, c)
	}
	if o.Guard == nil {
		t.argsort()
	} else {
		o.Guard(t.argsort)
	}
	if c.stopped.Load() {
		return ctx.Err()
	}
	return nil
}

// sorter is one sort.
type sorter[S Source] struct {
	*job
	s       S
	toucher Toucher         // s, or nil
	rest    *sorter[Source] // sorts rows with equal strings, or nil
}

func newSorter[S Source](s S, c *job) *sorter[S] {
	t := &sorter[S]{job: c, s: s}
	t.toucher, _ = any(s).(Toucher)
	return t
}

// argsort sorts all rows.
func (t *sorter[S]) argsort() {
	n := len(t.idx)
	if n < fewRows {
		if t.few(t.idx, 0) {
			t.rest.few(t.idx, 0)
		}
		return
	}
	var put func()
	t.words, put = cpu.Buffer[uint64](n)
	defer put()
	t.sort(group{hi: n})
}

// job is what does not depend on the strings.
type job struct {
	idx     []uint32
	words   []uint64 // those of idx
	flip    uint64   // what words are complemented by: all bits in descending order
	workers int
	compact bool
	guard   func(work func()) // or nil
	ctx     context.Context
	done    <-chan struct{}
	stopped atomic.Bool
}

// cancelled reports whether the context has ended.
func (t *job) cancelled() bool {
	select {
	case <-t.done:
		t.stopped.Store(true)
		return true
	default:
		return false
	}
}

// team is so many workers.
func (t *job) team(workers int) team.Options {
	return team.Options{Workers: workers, Guard: t.guard}
}

// group is rows [lo, hi) of idx, whose strings agree in the first depth bytes, which all
// of them have.
type group struct {
	lo, hi, depth int
	stalls        int  // rounds in a row that have left most of it together
	equal         bool // the strings are equal, and what follows is of those in the tail
}

func (g group) rows() int { return g.hi - g.lo }

// forkRows is the least rows that are worth several workers.
const forkRows = 1 << 15

// sort sorts all rows: groups that are large by all workers together, then each of the
// others by one.
func (t *sorter[S]) sort(all group) {
	if all.rows() < forkRows {
		t.alone(all)
		return
	}
	most := max(forkRows, all.rows()/(4*t.workers))
	if t.workers == 1 {
		most = all.rows()
	}
	var small []group
	large := []group{all}
	for len(large) > 0 && !t.stopped.Load() {
		g := large[len(large)-1]
		large = large[:len(large)-1]
		if g.rows() <= most {
			small = append(small, g)
			continue
		}
		large = t.round(g, t.workers, large)
	}
	slices.SortFunc(small, func(a, b group) int { return b.rows() - a.rows() })
	t.team(t.workers).Each(len(small), func(i int) { t.alone(small[i]) })
}

// alone sorts g and the groups that it falls into by one worker.
func (t *sorter[S]) alone(g group) {
	var room [8]group
	for open := append(room[:0], g); len(open) > 0 && !t.stopped.Load(); {
		g := open[len(open)-1]
		open = t.round(g, 1, open[:len(open)-1])
	}
}

// round sorts g by its next words and appends the groups that are left to out.
func (t *sorter[S]) round(g group, workers int, out []group) []group {
	if g.equal && t.rest != nil {
		return t.rest.round(g, workers, out)
	}
	var by words
	if g.stalls < stallsMost {
		by = t.load(g, workers)
	} else {
		by = t.compare(g, workers)
	}
	if by.equal && t.rest != nil {
		return append(out, group{lo: g.lo, hi: g.hi, equal: true})
	}
	if t.cancelled() || by.equal {
		return out
	}
	idx := t.idx[g.lo:g.hi]
	if cpu.Pairs(t.words[g.lo:g.hi], idx, key.CodecUnsigned, cpu.Options{Workers: workers, Ctx: t.ctx, Compact: t.compact}) != nil {
		t.stopped.Store(true)
		return out
	}
	if workers == 1 {
		return t.ties(g, by, g.lo, g.hi, out)
	}
	return append(out, t.tiesOf(g, by, workers)...)
}

// tiesOf is ties of all words of g, by so many workers.
func (t *sorter[S]) tiesOf(g group, by words, workers int) (out []group) {
	parts := team.Options{Workers: 4 * workers}.Parts(g.rows(), forkRows)
	var mu sync.Mutex
	t.team(workers).Each(parts, func(i int) {
		lo, hi := team.Chunk(g.rows(), parts, i)
		lo, hi = t.runEnd(g, g.lo+lo), t.runEnd(g, g.lo+hi)
		found := t.ties(g, by, lo, hi, nil)
		mu.Lock()
		out = append(out, found...)
		mu.Unlock()
	})
	return out
}

// runEnd returns the end of the run of equal words of g that goes on at i; i itself if
// none does.
func (t *sorter[S]) runEnd(g group, i int) int {
	if i == g.lo || i == g.hi || t.words[i] != t.words[i-1] {
		return i
	}
	w := t.words[i]
	n, _ := slices.BinarySearchFunc(t.words[i:g.hi], w, func(v, w uint64) int {
		if v <= w {
			return -1
		}
		return 1
	})
	return i + n
}

// ties appends to out the groups that the sorted words [lo, hi) of g leave. Those of few
// rows it sorts.
func (t *sorter[S]) ties(g group, by words, lo, hi int, out []group) []group {
	w, looked := t.words, lo
	var open, equal [waiting]group
	wait, waitEqual := open[:0], equal[:0]
	for i := lo + 1; i < hi; i++ {
		if w[i] != w[i-1] {
			continue
		}
		from := i - 1
		for i++; i < hi && w[i] == w[from]; i++ {
		}
		depth, more := by.next(w[from] ^ t.flip)
		switch rows := i - from; {
		case !more && t.rest == nil:
		case !more && rows < fewRows:
			if waitEqual = append(waitEqual, group{lo: from, hi: i}); len(waitEqual) == waiting {
				t.rest.fews(waitEqual)
				waitEqual = waitEqual[:0]
			}
		case !more:
			out = append(out, group{lo: from, hi: i, equal: true})
		case rows < fewRows:
			if wait = append(wait, group{lo: from, hi: i, depth: depth}); len(wait) == waiting {
				t.fews(wait)
				wait = wait[:0]
			}
		default:
			left := group{from, i, depth, 0, g.equal}
			if rows > g.rows()/2 {
				left.stalls = g.stalls + 1
			}
			out = append(out, left)
		}
		if i-looked >= lookRows {
			if looked = i; t.cancelled() {
				return out
			}
		}
	}
	t.fews(wait)
	if t.rest != nil {
		t.rest.fews(waitEqual)
	}
	return out
}

// waiting is how many groups of few rows are sorted one after another.
const waiting = 16

// fews is few of the groups, whose strings are brought nearer before.
func (t *sorter[S]) fews(groups []group) {
	var room [TouchRows]uint32
	near := room[:0]
	for i, g := range groups {
		for _, row := range t.idx[g.lo:g.hi] {
			if near = append(near, row); len(near) == TouchRows {
				t.touch(near, g.depth, 8)
				near = near[:0]
			}
		}
		if len(near) > 0 && (i+1 == len(groups) || groups[i+1].depth != g.depth) {
			t.touch(near, g.depth, 8)
			near = near[:0]
		}
	}
	var equal [waiting]group
	left := equal[:0]
	for _, g := range groups {
		if t.few(t.idx[g.lo:g.hi], g.depth) {
			left = append(left, group{lo: g.lo, hi: g.hi})
		}
	}
	if len(left) > 0 {
		t.rest.fews(left)
	}
}
