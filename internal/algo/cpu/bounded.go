package cpu

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// bounded is a stable sort of elements that stay in the caller's slices: at each
// moment these hold all but what is in scratch of a fixed size, so that a cancelled
// sort has no more than that to write back.
//
// First the elements are divided by a digit within chunks, each through scratch and
// back to the places of the chunk, so that a bucket lies in as many spans as there
// are chunks. A bucket that is longer than the room is divided again, wherever it
// lies. Then, from the lowest on, as many buckets as fit the room are taken into it;
// the elements of others that lie where these belong are moved to the places that
// they have left; and the buckets are sorted in scratch and written to their places.
type bounded[E elem, C mover[E]] struct {
	job[E]
	c    C
	room int // elements that are away from the caller's slices at a time
	per  int // elements of a chunk
}

// mover is a carrier that can move what it carries within the caller's slices.
type mover[E elem] interface {
	carrier[E]
	// move copies n pairs from one place to another; they do not overlap.
	move(to, from, n int)
}

// Bounds in bytes of elements, variables so that tests need no more. A worker reads
// and writes elements at some 5 GB/s.
var (
	// boundedMin is the length up to which a cancelled sort writes back what it has in
	// scratch, in 20 to 40 ms of one worker's time.
	boundedMin = 96 << 20
	// boundedRoom is what a worker adds to the room: all together write it back in
	// some 15 ms.
	boundedRoom = 32 << 20
	// boundedChunk is the longest chunk, which one worker divides and writes back: its
	// buckets are long enough to be read and written at the speed of memory.
	boundedChunk = 16 << 20
	// boundedChunkPlain is that without vector instructions: scattered in the level-2
	// cache.
	boundedChunkPlain = 1 << 20
	// compactMin is boundedMin of compact sorts.
	compactMin = 2 << 20
	// boundedLeaf is the longest bucket that is not divided on its way into the room.
	boundedLeaf = leafBytes
)

// isBounded reports whether a sort of n elements of a size in bytes is to be bounded:
// if it can be cancelled and is so long that it would then take too long to finish, or if its
// scratch is to be short.
func (r *run) isBounded(n int, size uintptr) bool {
	return r.look != nil && n > boundedMin/int(size) || r.compact && n > compactMin/int(size)
}

// roomWorkers is how many of so many workers add to the room: those that have a
// processor, up to as many as memory keeps up with. One adds as much as two.
func roomWorkers(workers int) int {
	return min(max(2, min(workers, runtime.GOMAXPROCS(0))), 8)
}

// sortBounded sorts n elements by the bits of word from low on.
func sortBounded[E elem, C mover[E]](r *run, n int, low uint, c C) error {
	size := int(unsafe.Sizeof(*new(E)))
	chunk := boundedChunk
	if !simd.Available() {
		chunk = boundedChunkPlain
	}
	s := bounded[E, C]{c: c, room: boundedRoom / size * roomWorkers(r.workers)}
	// Shorter ones if there are more workers than those, but not so short that their
	// counts and spans would matter.
	s.per = min(chunk/size, max(n/(4*r.workers), chunk/(4*size)))
	if r.compact {
		s.room = min(s.room, n/8)
		s.per = min(s.per, max(n/(16*r.workers), blockItems))
	}
	s.job = job[E]{run: r, n: n, low: low, emit: func(e []E, at int) { emitAll(c, e, at) }}
	all := bucket{top: wordBits[E]()}
	all.add(0, n)
	if buckets := s.divide(&all, nil); !r.cancelled() {
		s.writeBack(buckets)
	}
	return r.end()
}

// divide appends to out the elements of b, in buckets that fit the room. If the sort
// is cancelled some are missing there.
func (s *bounded[E, C]) divide(b *bucket, out []bucket) []bucket {
	if b.n() <= s.room {
		return append(out, *b)
	}
	if b.top <= s.low {
		return b.cut(s.room, out) // they are equal
	}
	shift, found := s.split(b)
	if s.cancelled() {
		return out
	}
	var parts [radix]bucket
	for k := range found {
		at := k * s.per
		for d, m := range found[k] {
			b.each(at, at+m, parts[d].add)
			at += m
		}
	}
	for d := range parts {
		if parts[d].top = shift; parts[d].n() > 0 {
			out = s.divide(&parts[d], out)
		}
	}
	return out
}

// split divides each chunk of b by the digit, from bit shift on, that holds the
// highest varying bit, and returns how many of each value it has.
func (s *bounded[E, C]) split(b *bucket) (shift uint, found []counts) {
	n := b.n()
	found = make([]counts, (n+s.per-1)/s.per)
	load, tally := s.reader(b)
	var first [1]E
	ref := word(&load(0, 1, first[:])[0])
	guess := s.sample(load, n, b.top, ref)
	for {
		d := digit{max(s.low, guess-min(guess, streamBits)), 1<<streamBits - 1}
		var varying atomic.Uint64
		s.each(len(found), func(_, k int) {
			lo, hi := k*s.per, min(n, (k+1)*s.per)
			varying.Or(s.countPart(load, tally, &found[k], lo, hi, d, ref))
			if !s.cancelled() && varying.Load()>>d.shift>>streamBits == 0 {
				s.divideChunk(b, load, found[k], lo, hi, d)
			}
		})
		exact := uint(bits.Len64(varying.Load()>>s.low)) + s.low
		if exact <= d.shift+streamBits || s.cancelled() {
			return d.shift, found
		}
		guess = exact // what has been divided by less keeps the order of equal words
	}
}

// divideChunk divides elements [lo, hi) of b, of whose digits there are so many.
func (s *bounded[E, C]) divideChunk(b *bucket, load loader[E], c counts, lo, hi int, d digit) {
	sum := 0
	for i, m := range c {
		if m == hi-lo {
			return // they have one digit
		}
		c[i], sum = sum, sum+m
	}
	tmp := getScratch[E](s.per)
	defer tmp.put()
	e := tmp.s[:hi-lo]
	if simd.Available() {
		s.distribute(load, e, &c, lo, hi, d)
	} else {
		s.distributePlain(load, e, &c, lo, hi, d)
	}
	if s.cancelled() {
		return // nothing of it has been written
	}
	b.each(lo, hi, func(lo, hi int) {
		s.emit(e[:hi-lo], lo)
		e = e[hi-lo:]
	})
}

// distributePlain is distribute without vector instructions.
func (s *bounded[E, C]) distributePlain(load loader[E], dst []E, c *counts, lo, hi int, d digit) {
	var next [radix]uint32
	for i, at := range c {
		next[i] = uint32(at)
	}
	block := getScratch[E](blockItems)
	defer block.put()
	for i := lo; i < hi && !s.cancelled(); i += blockItems {
		scatterTo(load(i, min(i+blockItems, hi), block.s), dst, &next, d.shift)
	}
}

// loader returns elements [i, k) in buf.
type loader[E elem] = func(i, k int, buf []E) []E

// reader returns what loads the elements of b, and what counts them.
func (s *bounded[E, C]) reader(b *bucket) (loader[E], func(c *counter, i, k int, d digit, ref uint64) uint64) {
	load := func(i, k int, buf []E) []E {
		rest := buf
		b.each(i, k, func(lo, hi int) {
			s.c.fill(rest[:hi-lo], lo, hi)
			rest = rest[hi-lo:]
		})
		return buf[:k-i]
	}
	return load, func(c *counter, i, k int, d digit, ref uint64) (varying uint64) {
		b.each(i, k, func(lo, hi int) { varying |= s.c.tally(c, lo, hi, d, ref) })
		return varying
	}
}
