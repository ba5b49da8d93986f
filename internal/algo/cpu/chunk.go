package cpu

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

const (
	// chunkBytes is what a split without vector instructions moves at once: it
	// and its copy fit a 2 MiB level-2 cache.
	chunkBytes = 1 << 19
	// leafAim is the most elements of a bucket, on average: two digits then tell
	// nearly all of them apart. leafAimBytes is the most of their bytes.
	leafAim      = 24 << 10
	leafAimBytes = 1 << 18
	// roomBytes is what a worker holds beside the elements of the sort: a copy of
	// a chunk, or two of a bucket.
	roomBytes = leafBytes
)

// chunked is elements that are divided by a digit chunk by chunk: the pieces of
// a bucket, one of each chunk, lie apart.
//
// Stores to many places of a large array wait for memory: each line is fetched
// first, and gone from the caches before the next element comes. Within a chunk
// it stays, and pieces are long enough to be read at the speed of memory.
type chunked[E elem] struct {
	e     []E
	per   int                   // elements of a chunk
	ends  scratch[[ends]uint32] // of each chunk, where its pieces end
	shift uint                  // of the digit: no bit above it varies
	// uneven is set when a bucket is found that is not sorted without counts.
	uneven *atomic.Bool
}

// ends is the number of bounds of the pieces of a chunk.
const ends = wideRadix + 1

func (s *chunked[E]) chunks() int { return len(s.ends.s) }

// piece returns the elements of chunk k with digit d.
func (s *chunked[E]) piece(k, d int) []E {
	b := &s.ends.s[k]
	return s.e[k*s.per:][b[d]:b[d+1]]
}

// splitChunks distributes, by its top varying bits, the range of the job at
// place `at` that lies in src, or comes from j.block if src is nil, to dst chunk
// by chunk, and sorts the buckets. alt is scratch of the same length and may be
// src; it may be nil, and is then allocated if it is needed.
func (j *job[E]) splitChunks(src, dst, alt []E, at int, top uint, workers int) bool {
	load := j.block
	if src != nil {
		load = func(i, k int, _ []E) []E { return src[i:k] }
	}
	s := j.divideChunks(load, dst, top, workers)
	defer s.ends.put()
	if j.cancelled() {
		if src != nil {
			j.finish(src, at, workers)
		}
		return src != nil
	}
	j.pieces(&s, alt, at, workers)
	return true
}

// divideChunks divides the elements that load returns into dst.
func (j *job[E]) divideChunks(load func(i, k int, buf []E) []E, dst []E, top uint, workers int) chunked[E] {
	n, size := len(dst), int(unsafe.Sizeof(dst[0]))
	s := chunked[E]{e: dst, per: chunkBytes / size, uneven: new(atomic.Bool)}
	s.ends = getScratch[[ends]uint32]((n + s.per - 1) / s.per)
	width := max(1, min(wideBits, uint(bits.Len(uint(n/min(leafAim, leafAimBytes/size))))))
	var first [1]E
	ref := word(&load(0, 1, first[:])[0])
	guess := j.sample(load, n, top, ref)
	for {
		s.shift = max(j.low, guess-min(guess, width))
		var varying atomic.Uint64
		var uneven atomic.Bool // a chunk was not divided without a count
		uneven.Store(s.shift+wideBits < wordBits[E]())
		j.eachOf(workers, s.chunks(), func(_, k int) {
			if !uneven.Load() {
				if j.divideOpen(load, &s, k) {
					return
				}
				uneven.Store(true)
			}
			if varying.Load()>>(s.shift+wideBits) == 0 {
				varying.Or(j.divideChunk(load, &s, k, ref))
			}
		})
		if j.cancelled() || varying.Load()>>(s.shift+wideBits) == 0 {
			return s
		}
		guess = j.exactTop(load, n, workers, ref)
	}
}

// exactTop returns the end of the bits in which any element differs from ref.
func (j *job[E]) exactTop(load func(i, k int, buf []E) []E, n, workers int, ref uint64) uint {
	var varying atomic.Uint64
	j.eachOf(workers, (n+blockItems*8-1)/(blockItems*8), func(_, p int) {
		block := getScratch[E](blockItems)
		defer block.put()
		v := uint64(0)
		for i := p * blockItems * 8; i < min(n, (p+1)*blockItems*8) && !j.cancelled(); i += blockItems {
			b := load(i, min(n, i+blockItems), block.s)
			for e := range b {
				v |= word(&b[e]) ^ ref
			}
		}
		varying.Or(v)
	})
	return uint(bits.Len64(varying.Load()))
}

// divideChunk divides chunk k and returns the bits in which its words differ
// from ref, if there are bits above the digit.
func (j *job[E]) divideChunk(load func(i, k int, buf []E) []E, s *chunked[E], k int, ref uint64) (varying uint64) {
	room := getScratch[E](roomBytes / int(unsafe.Sizeof(s.e[0])))
	defer room.put()
	lo, hi := k*s.per, min(len(s.e), (k+1)*s.per)
	out := s.e[lo:hi]
	var c [4]wideCounts
	stored := true // by load
	for i := 0; i < len(out) && !j.cancelled(); i += blockItems {
		buf := out[i:min(i+blockItems, len(out))]
		b := load(lo+i, lo+i+len(buf), buf)
		stored = &b[0] == &buf[0]
		if s.shift+wideBits >= wordBits[E]() {
			countTop(b, &c, s.shift)
		} else {
			varying |= countWide(b, &c, s.shift, ref)
		}
	}
	for i := range c[1:] {
		c[0].add(&c[1+i])
	}
	c[0].starts(0)
	b := &s.ends.s[k]
	copy(b[:], c[0][:])
	b[wideRadix] = uint32(len(out))
	for i := 0; i < len(out) && !j.cancelled(); i += blockItems {
		e := out[i:min(i+blockItems, len(out))]
		if !stored {
			e = load(lo+i, lo+i+len(e), nil)
		}
		scatterWide(e, room.s, &c[0], s.shift)
	}
	copy(out, room.s)
	return varying
}
