package cpu

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// argsortVector sorts words of 32 key bits above the position by vector
// quicksort: the words are distinct, so it is stable. The bits are the keys'
// images, or for 64-bit keys the highest 32 that vary; words that agree in
// them are then put in order by the whole key. emit gets the words, position
// in their low half, for places at, at+1, … Scratch: 8 bytes a key.
func argsortVector[U key.Word](k []U, c key.Codec, o Options, emit func(p []uint64, at int)) error {
	n := len(k)
	r := newRun(o)
	w := getScratch[uint64](n)
	defer w.put()
	shift := uint(0)
	if unsafe.Sizeof(k[0]) == 8 {
		shift = varyingShift(r, cast[uint64](k), c)
	}
	j := vectorJob[uint64]{run: r, x: w.s}
	segments := []segment[uint64]{{hi: n}}
	if n < forkItems {
		tagWords(w.s, k, c, shift, 0)
	} else if segments = tagSegments(&j, k, c, shift); segments == nil {
		return r.end()
	}
	if shift == 0 {
		j.then = emit
		j.sortSegments(segments, false)
		return r.end()
	}
	j.sortSegments(segments, false)
	if !r.cancelled() {
		breakTies(r, w.s, cast[uint64](k), c)
	}
	parts := max(1, min(n/blockItems, 4*r.workers))
	r.each(parts, func(_, p int) {
		lo, hi := chunk(n, parts, p)
		emit(w.s[lo:hi], lo)
	})
	return r.end()
}

// tagSegments fills j.x with the words of k, partitioned by about their median,
// which saves the sort its first pass. It returns nil if the sort is cancelled.
func tagSegments[U key.Word](j *vectorJob[uint64], k []U, c key.Codec, shift uint) []segment[uint64] {
	n := len(k)
	var d [soloDraw]uint64
	for i := range d {
		lo, hi := chunk(n, len(d), i)
		at := lo + int(uint64(i+1)*0x9e3779b97f4a7c15>>33%uint64(hi-lo))
		tagWords(d[i:i+1], k[at:at+1], c, shift, at)
	}
	insertion(d[:], 0)
	pivot := d[len(d)/2]
	p := j.newJoint(j.x, j.workers)
	if !j.stretches(p, j.workers, func(lo, hi int) (below int) {
		block := getScratch[uint32](blockItems)
		defer block.put()
		room := j.x[lo:hi]
		for i := lo; i < hi; i += blockItems {
			e := min(i+blockItems, hi)
			m := simd.TagSplit(tagImages(block.s, k[i:e], c, shift), i, pivot, room)
			room = room[m : len(room)-(e-i-m)]
			below += m
		}
		return below
	}) {
		return nil
	}
	below := j.join(p, j.workers)
	return []segment[uint64]{{hi: below}, {lo: below, hi: n, min: pivot}}
}

// tagImages returns the highest 32 bits, shift being applied, of the images of
// k, which is no longer than buf: in buf, or k itself.
func tagImages[U key.Word](buf []uint32, k []U, c key.Codec, shift uint) []uint32 {
	switch {
	case unsafe.Sizeof(k[0]) == 8:
		wide := getScratch[uint64](blockItems)
		defer wide.put()
		images64(wide.s[:len(k)], k, c)
		for i, u := range wide.s[:len(k)] {
			buf[i] = uint32(u >> (shift & 63))
		}
	case unsafe.Sizeof(k[0]) == 4 && c == key.CodecUnsigned:
		return cast[uint32](k)
	default:
		images32(buf[:len(k)], k, c)
	}
	return buf[:len(k)]
}

// tagWords fills w for the keys k, whose first has the given position.
func tagWords[U key.Word](w []uint64, k []U, c key.Codec, shift uint, at int) {
	if unsafe.Sizeof(k[0]) == 8 {
		images64(w, k, c)
		for i, u := range w {
			w[i] = u>>(shift&63)<<32 | uint64(at+i)
		}
		return
	}
	block := getScratch[uint32](len(k))
	defer block.put()
	b := block.s
	images32(b, k, c)
	for i := range w {
		w[i] = uint64(b[i])<<32 | uint64(at+i)
	}
}

// varyingShift returns how far images must be shifted right for their highest
// 32 varying bits to be the lowest.
func varyingShift(r *run, k []uint64, c key.Codec) uint {
	ref := key.Encode(c, k[0])
	var varying atomic.Uint64
	parts := max(1, min(r.workers, len(k)/(8*blockItems)))
	r.each(parts, func(_, p int) {
		lo, hi := chunk(len(k), parts, p)
		block := getScratch[uint64](blockItems)
		defer block.put()
		buf := block.s
		v := uint64(0)
		for ; lo < hi && !r.cancelled(); lo += blockItems {
			b := buf[:min(blockItems, hi-lo)]
			encodeTo(b, k[lo:lo+len(b)], c)
			for _, u := range b {
				v |= u ^ ref
			}
		}
		varying.Or(v)
	})
	return uint(max(0, bits.Len64(varying.Load())-32))
}

// breakTies sorts runs of words that agree in their high half by the whole key
// and then the position, which is their order so far.
func breakTies(r *run, w []uint64, k []uint64, c key.Codec) {
	parts := max(1, min(4*r.workers, len(w)/(8*blockItems)))
	// Parts end where a run does, so that none is looked at by two workers.
	ends := make([]int, parts)
	for p := range ends {
		_, e := chunk(len(w), parts, p)
		if p > 0 {
			e = max(e, ends[p-1])
		}
		for e < len(w) && w[e]>>32 == w[e-1]>>32 {
			e++
		}
		ends[p] = e
	}
	r.each(parts, func(_, p int) {
		i := 0
		if p > 0 {
			i = ends[p-1]
		}
		for hi := ends[p]; i < hi; {
			e := i + 1
			for e < hi && w[e]>>32 == w[i]>>32 {
				e++
			}
			if e-i > 1 && !r.cancelled() {
				sortTies(w[i:e], k, c)
			}
			i = e
		}
	})
}

// sortTies sorts the positions of one run; a long one as an argsort of its own.
func sortTies(w []uint64, k []uint64, c key.Codec) {
	image := func(v uint64) uint64 { return key.Encode(c, k[uint32(v)]) }
	if len(w) <= insertionMax {
		slices.SortStableFunc(w, func(a, b uint64) int { return cmp.Compare(image(a), image(b)) })
		return
	}
	s := getScratch[rec](2 * len(w))
	defer s.put()
	a, b := s.s[:len(w)], s.s[len(w):]
	for i, v := range w {
		a[i] = rec{image(v), v}
	}
	if leafSort(a, b, 0, 64) {
		a = b
	}
	for i := range w {
		w[i] = a[i].v
	}
}

const (
	// unevenMin is the length from which it is worth a sample to find out
	// whether keys divide badly by their highest bits.
	unevenMin = 1 << 12
	// unevenSample is the number of keys in that sample.
	unevenSample = 256
	// unevenShare is the largest part of it that one digit may have: where keys
	// are even, 1 in 256 on average and 6 hardly ever.
	unevenShare = unevenSample / 16
	// unevenTurns is the least number of turns, from rising to falling or back,
	// in a sample of keys that are in no order, of which two thirds are turns.
	unevenTurns = unevenSample / 4
	// unevenValues is the number of values up to which it does not matter: they
	// are told apart before long.
	unevenValues = 16
)

// uneven reports whether keys of at most 32 bits are better sorted by quicksort
// than split by their highest varying bits. Floats and frequent values leave most
// in a few buckets; quicksort chooses where to divide. Where neighbours have the
// same digit, as in long rising or falling runs, each waits for the count that
// the one before has stored.
func uneven[U key.Word](k []U, c key.Codec) bool {
	if len(k) < unevenMin || simd.Current() != simd.AVX512 || unsafe.Sizeof(k[0]) == 1 {
		return false
	}
	var sample [unevenSample]U
	for i := range sample {
		lo, hi := chunk(len(k), unevenSample, i)
		sample[i] = k[lo+int(uint64(i+1)*0x9e3779b97f4a7c15>>33%uint64(hi-lo))]
	}
	var room [unevenSample]uint32
	images32(room[:], sample[:], c)
	turns, fell := 0, false
	for i := 1; i < unevenSample; i++ {
		if falls := room[i] < room[i-1]; falls != fell {
			turns, fell = turns+1, falls
		}
	}
	simd.Tiny(room[:])
	width := bits.Len32(room[0] ^ room[unevenSample-1])
	values, run, longest := 1, 1, 1
	for i := 1; i < unevenSample; i++ {
		differ := bits.Len32(room[i] ^ room[i-1])
		if differ > 0 {
			values++
		}
		if run++; differ > width-streamBits {
			run = 1
		}
		longest = max(longest, run)
	}
	return values > unevenValues && (turns < unevenTurns || longest > unevenShare)
}
