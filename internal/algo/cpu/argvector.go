package cpu

import (
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// argsortVector sorts words of 32 key bits above the position by vector
// quicksort: the words are distinct, so it is stable. The bits are the keys'
// encoded keys, or for 64-bit keys the highest 32 that vary; words that agree in
// them are then put in order by the whole key. emit gets the words, position
// in their low half, for places at, at+1, …, not all if the sort is cancelled.
// Scratch: 8 bytes a key.
func argsortVector[U key.Word](r *run, k []U, c key.Codec, emit func(p []uint64, at int)) error {
	n := len(k)
	w := getScratch[uint64](n)
	defer w.put()
	shift := uint(0)
	if unsafe.Sizeof(k[0]) == 8 {
		shift = varyingShift(r, cast[uint64](k), c)
	}
	j := vectorJob[uint64]{run: r, x: w.s}
	segments := []segment[uint64]{{hi: n, max: ^uint64(0)}}
	if n < forkItems {
		tagWords(w.s, k, c, shift, 0)
	} else if segments = tagSegments(&j, k, c, shift); segments == nil {
		return r.end()
	}
	if shift == 0 {
		j.then = emit
		j.sortSegments(segments)
		return r.end()
	}
	j.sortSegments(segments)
	breakTies(r, w.s, cast[uint64](k), c)
	parts := max(1, min(n/blockItems, max(4*r.workers, n*8/lookBytes)))
	r.each(parts, func(_, p int) {
		if lo, hi := chunk(n, parts, p); !r.cancelled() {
			emit(w.s[lo:hi], lo)
		}
	})
	return r.end()
}

// tagSegments fills j.x with the words of k, partitioned by about their median,
// which saves the sort its first pass. It returns nil if the sort is cancelled.
func tagSegments[U key.Word](j *vectorJob[uint64], k []U, c key.Codec, shift uint) []segment[uint64] {
	n := len(k)
	var d [soloDraw]uint64
	seed := rand.Uint64()
	for i := range d {
		lo, hi := chunk(n, len(d), i)
		seed += 0x9e3779b97f4a7c15
		at := lo + int(seed>>33%uint64(hi-lo))
		tagWords(d[i:i+1], k[at:at+1], c, shift, at)
	}
	insertion(d[:], 0)
	pivot := d[len(d)/2]
	p := j.newParallel(j.x, j.workers)
	if !j.stretches(p, j.workers, func(lo, hi int) (below int) {
		block := getScratch[uint32](blockItems)
		defer block.put()
		room := j.x[lo:hi]
		for i := lo; i < hi; i += blockItems {
			e := min(i+blockItems, hi)
			m := simd.TagSplit(tagEncoded(block.s, k[i:e], c, shift), i, pivot, room)
			room = room[m : len(room)-(e-i-m)]
			below += m
		}
		return below
	}) {
		return nil
	}
	below := j.join(p, j.workers)
	return []segment[uint64]{{hi: below, max: pivot - 1}, {lo: below, hi: n, min: pivot, max: ^uint64(0)}}
}

// tagEncoded returns the highest 32 bits, shift being applied, of the encoded keys of
// k, which is no longer than buf: in buf, or k itself.
func tagEncoded[U key.Word](buf []uint32, k []U, c key.Codec, shift uint) []uint32 {
	switch {
	case unsafe.Sizeof(k[0]) == 8:
		wide := getScratch[uint64](blockItems)
		defer wide.put()
		encode64(wide.s[:len(k)], k, c)
		for i, u := range wide.s[:len(k)] {
			buf[i] = uint32(u >> (shift & 63))
		}
	case unsafe.Sizeof(k[0]) == 4 && c == key.CodecUnsigned:
		return cast[uint32](k)
	default:
		encode32(buf[:len(k)], k, c)
	}
	return buf[:len(k)]
}

// tagWords fills w for the keys k, whose first has the given position.
func tagWords[U key.Word](w []uint64, k []U, c key.Codec, shift uint, at int) {
	if unsafe.Sizeof(k[0]) == 8 {
		encode64(w, k, c)
		for i, u := range w {
			w[i] = u>>(shift&63)<<32 | uint64(at+i)
		}
		return
	}
	block := getScratch[uint32](len(k))
	defer block.put()
	b := block.s
	encode32(b, k, c)
	for i := range w {
		w[i] = uint64(b[i])<<32 | uint64(at+i)
	}
}

// varyingShift returns how far encoded keys must be shifted right for their highest
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
