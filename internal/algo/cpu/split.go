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

// splitBits is the digit of a split. More than 2^6 places written in turn
// cost several times more: their lines, and the pages they lie on, no longer
// stay in the level-1 cache and its TLB.
const (
	splitBits    = 6
	splitBuckets = 1 << splitBits
)

// job is a sort of n elements by bits [low, wordBits) of their words. It is
// stable. Results go out only through emit, each place once.
type job[E elem] struct {
	*run
	n   int
	low uint
	// block returns elements [i, j) encoded, in buf or elsewhere; j−i is at
	// most blockItems. It may be called twice for the same range, before any
	// emit.
	block func(i, j int, buf []E) []E
	// emit writes the elements e to output places at, at+1, …; e may be the
	// part of out at that place.
	emit func(e []E, at int)
	// out is n elements that may be overwritten between the last block and
	// the emit of a place, or nil.
	out []E
}

// sort runs the job. If it is cancelled before the first emit it returns
// without one (and false); afterwards everything is emitted, in order or not.
func (j *job[E]) sort() bool {
	tmp := getScratch[E](j.n)
	defer tmp.put()
	out := j.out
	if out == nil {
		s := getScratch[E](j.n)
		defer s.put()
		out = s.s
	}
	return j.splitRange(nil, tmp.s, out, 0, wordBits[E]())
}

// splitRange distributes, by its top varying bits, the range of the job at
// place `at` that lies in src, or comes from j.block if src is nil, to dst, and
// sorts the buckets. alt is scratch of the same length and may be src. All
// three have equal lengths.
func (j *job[E]) splitRange(src, dst, alt []E, at int, top uint) bool {
	n := len(dst)
	parts := max(1, min(j.workers, n/(8*blockItems)))
	load := j.block
	if src != nil {
		load = func(i, k int, _ []E) []E { return src[i:k] }
	}
	shift, counts := j.count(load, n, parts, top)
	if j.cancelled() {
		if src == nil {
			return false
		}
		j.emit(src, at)
		return true
	}
	sum := 0
	var start [splitBuckets + 1]int
	for d := range splitBuckets {
		start[d] = sum
		for p := range counts {
			sum, counts[p][d] = sum+counts[p][d], sum
		}
	}
	start[splitBuckets] = n
	j.each(parts, func(_, p int) {
		lo, hi := chunk(n, parts, p)
		j.distribute(load, dst, &counts[p], lo, hi, shift)
	})
	if j.cancelled() {
		if src == nil {
			return false
		}
		j.emit(src, at)
		return true
	}
	j.buckets(dst, alt, at, &start, shift)
	return true
}

// count finds the highest bit below top in which the n elements vary, and
// counts for each part its elements per digit. It returns the lowest bit
// of that digit; no bit above the digit varies.
func (j *job[E]) count(load func(i, k int, buf []E) []E, n, parts int, top uint) (uint, [][splitBuckets]int) {
	var first [1]E
	ref := word(&load(0, 1, first[:])[0])
	guess := j.sample(load, n, top, ref)
	for {
		shift := j.low
		if guess > splitBits {
			shift = max(shift, guess-splitBits)
		}
		counts := make([][splitBuckets]int, parts)
		var varying atomic.Uint64
		j.each(parts, func(_, p int) {
			lo, hi := chunk(n, parts, p)
			varying.Or(j.countPart(load, &counts[p], lo, hi, shift, ref))
		})
		exact := uint(bits.Len64(varying.Load()>>j.low)) + j.low
		if exact <= shift+splitBits || j.cancelled() {
			return shift, counts
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

func (j *job[E]) countPart(load func(i, k int, buf []E) []E, c *[splitBuckets]int, lo, hi int, shift uint, ref uint64) uint64 {
	block := getScratch[E](blockItems)
	defer block.put()
	buf := block.s
	varying := uint64(0)
	for i := lo; i < hi && !j.cancelled(); i += blockItems {
		varying |= countBlock(load(i, min(i+blockItems, hi), buf[:]), c, shift, ref)
	}
	return varying
}

func (j *job[E]) distribute(load func(i, k int, buf []E) []E, dst []E, c *[splitBuckets]int, lo, hi int, shift uint) {
	block := getScratch[E](blockItems)
	defer block.put()
	buf := block.s
	for i := lo; i < hi && !j.cancelled(); i += blockItems {
		moveBlock(load(i, min(i+blockItems, hi), buf[:]), dst, c, shift)
	}
}

// countBlock adds b's digits at shift to c and returns the bits in which its
// words differ from ref. It and moveBlock are kept out of loops whose
// variables would take their registers.
//
//go:noinline
func countBlock[E elem](b []E, c *[splitBuckets]int, shift uint, ref uint64) uint64 {
	varying := uint64(0)
	for k := range b {
		w := word(&b[k])
		varying |= w ^ ref
		c[w>>(shift&63)%splitBuckets]++
	}
	return varying
}

// moveBlock moves b to the places of its digits in dst, and c along.
//
//go:noinline
func moveBlock[E elem](b, dst []E, c *[splitBuckets]int, shift uint) {
	p := unsafe.Pointer(unsafe.SliceData(dst))
	size := unsafe.Sizeof(b[0])
	for k := range b {
		d := word(&b[k]) >> (shift & 63) % splitBuckets
		to := c[d]
		*(*E)(unsafe.Add(p, uintptr(to)*size)) = b[k]
		c[d] = to + 1
	}
}

// buckets sorts and emits the buckets of a: first those too large for a leaf,
// each by all workers, then the leaves, each by one.
func (j *job[E]) buckets(a, alt []E, at int, start *[splitBuckets + 1]int, top uint) {
	var e E
	leafMax := leafBytes / int(unsafe.Sizeof(e))
	if simd.Available() {
		leafMax *= 3 // a quicksort reads in line: it may pass the level-2 cache
	}
	var leaves []int
	for d := range splitBuckets {
		lo, hi := start[d], start[d+1]
		switch {
		case hi == lo:
		case hi-lo <= leafMax || top <= j.low:
			leaves = append(leaves, d)
		default:
			j.splitRange(a[lo:hi], alt[lo:hi], a[lo:hi], at+lo, top)
		}
	}
	j.each(len(leaves), func(_, i int) {
		lo, hi := start[leaves[i]], start[leaves[i]+1]
		x, y := a[lo:hi], alt[lo:hi]
		if !j.cancelled() && leaf(x, y, j.low, top) {
			x = y
		}
		j.emit(x, at+lo)
	})
}
