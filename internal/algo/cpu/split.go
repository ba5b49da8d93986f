package cpu

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// blockItems is the unit in which sources encode: small enough to stay in the
// level-1 cache between encoding and counting, and a few microseconds of work
// between two looks at the context.
const blockItems = 1024

// streamBits is the digit of a split with vector instructions. Into as many
// places elements go by lines that are collected first and then written past
// the caches (stream.go). Without, chunk.go splits.
const streamBits = 8

// counts holds a number for each digit of a split.
type counts [radix]int

// counter counts the digits of a split: in n, or by vector kernels in t, until it
// is settled.
type counter struct {
	n counts
	t simd.Tally
	// open is how many elements t may hold.
	open int
}

// settleItems is how many elements are counted in t at most, 32-bit numbers.
const settleItems = 1 << 30

// settle adds what is in t to n.
func (c *counter) settle() {
	for d := range c.n {
		c.n[d] += int(c.t[0][d]) + int(c.t[1][d])
	}
	clear(c.t[0][:radix])
	clear(c.t[1][:radix])
	c.open = 0
}

// job is a sort of n elements by bits [low, wordBits) of their words. It is
// stable. Results go out only through emit, each place once.
type job[E elem] struct {
	*run
	n   int
	low uint
	// block returns elements [i, j) encoded, always in buf or always elsewhere,
	// and buf may then be nil; j−i is at most blockItems. It may be called twice
	// for the same range, before any emit.
	block func(i, j int, buf []E) []E
	// tally, if it is not nil, is countBlock of block(i, j) without making it.
	tally func(c *counter, i, j int, d digit, ref uint64) uint64
	// emit writes the elements e to output places at, at+1, …; e may be the
	// part of out at that place.
	emit func(e []E, at int)
	// out is n elements that may be overwritten between the last block and
	// the emit of a place, or nil.
	out []E
	// drop says that a cancelled sort need not emit.
	drop bool
}

// sort runs the job. If it is cancelled before the first emit it returns
// without one (and false); afterwards everything is emitted, in order or not, but
// if it may be dropped.
func (j *job[E]) sort() bool {
	tmp := getScratch[E](j.n)
	defer tmp.put()
	if !simd.Available() {
		return j.splitChunks(nil, tmp.s, j.out, 0, wordBits[E](), j.workers)
	}
	return j.splitRange(nil, tmp.s, j.out, 0, wordBits[E](), j.workers)
}

// digit is bits [shift, shift+bits) of a word, bits being at most 8.
type digit struct {
	shift uint
	mask  uint8
}

func (d digit) of(w uint64) uint8 { return uint8(w>>(d.shift&63)) & d.mask }

// splitRange distributes, by its top varying bits, the range of the job at
// place `at` that lies in src, or comes from j.block if src is nil, to dst, and
// sorts the buckets, by so many workers. alt is scratch of the same length and may be
// src; it may be nil, and is then allocated if it is needed.
func (j *job[E]) splitRange(src, dst, alt []E, at int, top uint, workers int) bool {
	n := len(dst)
	parts := max(1, min(workers, n/(8*blockItems)))
	load, tally := j.block, j.tally
	if src != nil {
		load, tally = func(i, k int, _ []E) []E { return src[i:k] }, nil
	}
	d, places := j.count(load, tally, n, parts, top)
	if j.cancelled() {
		if src != nil {
			j.finish(src, at, workers)
		}
		return src != nil
	}
	start := startsOf(places)
	j.eachOf(workers, parts, func(_, p int) {
		lo, hi := chunk(n, parts, p)
		j.distribute(load, dst, &places[p], lo, hi, d)
	})
	if j.cancelled() {
		if src != nil {
			j.finish(src, at, workers)
		}
		return src != nil
	}
	buckets := make([]part, 0, radix)
	for b := range radix {
		if start[b] < start[b+1] {
			buckets = append(buckets, part{start[b], start[b+1], d.shift})
		}
	}
	j.sortParts(dst, alt, at, buckets, workers)
	return true
}

// startsOf returns where the buckets of a split begin, of whose elements each part has
// so many, and the end; and makes of the counts where those of each part begin.
func startsOf(places []counts) (start [radix + 1]int) {
	sum := 0
	for b := range radix {
		start[b] = sum
		for p := range places {
			sum, places[p][b] = sum+places[p][b], sum
		}
	}
	start[radix] = sum
	return start
}

// finish emits e, in no better order than it has, by so many workers, or all there are
// if the sort is cancelled. One that may drop it emits no more.
func (j *job[E]) finish(e []E, at, workers int) {
	step := lookBytes / int(unsafe.Sizeof(e[0]))
	j.eachOf(j.finishers(workers), (len(e)+step-1)/step, func(_, i int) {
		if j.drop && j.cancelled() {
			return
		}
		lo, hi := i*step, min(len(e), (i+1)*step)
		j.emit(e[lo:hi], at+lo)
	})
}

// count finds the highest bit below top in which the n elements vary, and
// counts for each part its elements per digit. No bit above the digit varies.
func (j *job[E]) count(load func(i, k int, buf []E) []E, tally func(c *counter, i, k int, d digit, ref uint64) uint64, n, parts int, top uint) (digit, []counts) {
	var first [1]E
	ref := word(&load(0, 1, first[:])[0])
	guess := j.sample(load, n, top, ref)
	for {
		d := digit{j.low, uint8(1<<streamBits - 1)}
		if guess > streamBits {
			d.shift = max(j.low, guess-streamBits)
		}
		places := make([]counts, parts)
		var varying atomic.Uint64
		j.each(parts, func(_, p int) {
			lo, hi := chunk(n, parts, p)
			varying.Or(j.countPart(load, tally, &places[p], lo, hi, d, ref))
		})
		exact := uint(bits.Len64(varying.Load()>>j.low)) + j.low
		if exact <= d.shift+streamBits || j.cancelled() {
			return d, places
		}
		guess = exact
	}
}

// sample guesses the highest varying bit from some elements.
func (j *job[E]) sample(load func(i, k int, buf []E) []E, n int, top uint, ref uint64) uint {
	var buf [1]E
	v := uint64(0)
	step := max(1, n/64)
	for i := 0; i < n; i += step {
		v |= word(&load(i, i+1, buf[:])[0]) ^ ref
	}
	return max(j.low, min(top, uint(bits.Len64(v>>j.low))+j.low))
}

func (j *job[E]) countPart(load func(i, k int, buf []E) []E, tally func(c *counter, i, k int, d digit, ref uint64) uint64, c *counts, lo, hi int, d digit, ref uint64) uint64 {
	block := getScratch[E](blockItems)
	defer block.put()
	s := getScratch[counter](1)
	defer s.put()
	t := &s.s[0]
	*t = counter{}
	varying := uint64(0)
	for i := lo; i < hi && !j.cancelled(); i += blockItems {
		k := min(i+blockItems, hi)
		if t.open += k - i; t.open > settleItems {
			t.settle()
			t.open = k - i
		}
		if tally != nil {
			varying |= tally(t, i, k, d, ref)
		} else {
			varying |= countBlock(load(i, k, block.s), t, d, ref)
		}
	}
	t.settle()
	*c = t.n
	return varying
}

// distribute moves elements [lo, hi) to their places in dst, those of digit b
// from c[b] on.
func (j *job[E]) distribute(load func(i, k int, buf []E) []E, dst []E, c *counts, lo, hi int, d digit) {
	block := getScratch[E](blockItems)
	defer block.put()
	w := getScratch[writer](1)
	defer w.put()
	out := &w.s[0]
	startWriter(out, dst, c)
	for i := lo; i < hi && !j.cancelled(); i += blockItems {
		moveLines(load(i, min(i+blockItems, hi), block.s), dst, out, d)
	}
	drainLines(dst, out)
}

// countBlock adds b's digits to c and returns the bits in which its words
// differ from ref.
func countBlock[E elem](b []E, c *counter, d digit, ref uint64) uint64 {
	if simd.Available() {
		return simd.Count(b, d.shift, uint32(d.mask), &c.t, ref)
	}
	return countPlain(b, &c.n, d, ref)
}

// countPlain is countBlock without vector instructions. It is kept out of loops
// whose variables would take its registers.
//
//go:noinline
func countPlain[E elem](b []E, c *counts, d digit, ref uint64) uint64 {
	varying := uint64(0)
	for k := range b {
		w := word(&b[k])
		varying |= w ^ ref
		c[d.of(w)]++
	}
	return varying
}
