package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// writer distributes elements to dst by lines that are collected first and then
// written past the caches: a place in memory that is written in turn with many
// others would otherwise be fetched into the cache first, and evicted before the
// next element comes. The first and the last line of a digit, which may be
// partial, are written by plain stores.
type writer struct{ simd.Lines }

// skew is the distance of dst from the multiple of a line at or before it.
func skew[E elem](dst []E) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(dst))) % simd.StreamBytes
}

// startWriter sets w up to write elements of digit d to dst from place c[d] on.
func startWriter[E elem](w *writer, dst []E, c *counts) {
	for d := range c {
		w.Next[d] = uint64(uintptr(c[d])*unsafe.Sizeof(dst[0]) + skew(dst))
	}
	w.First = w.Next
}

// moveLines collects b for dst.
func moveLines[E elem](b, dst []E, w *writer, d digit) {
	simd.Append(&w.Lines, b, d.shift, uint32(d.mask), dst)
}

// copyPart writes the bytes [from, to) of one line of digit g.
func copyPart[E elem](w *writer, dst []E, g int, from, to uint64) {
	skip, size := from%simd.StreamBytes, uint64(unsafe.Sizeof(dst[0]))
	to -= from
	from -= uint64(skew(dst))
	out := unsafe.Slice((*byte)(unsafe.Pointer(&dst[from/size])), to)
	copy(out, w.Line[g][skip:skip+to])
}

// drainLines writes to dst what is left, and makes all of it visible to others.
func drainLines[E elem](dst []E, w *writer) {
	for g, to := range w.Next {
		if from := max(w.First[g], to&^(simd.StreamBytes-1)); from < to {
			copyPart(w, dst, g, from, to)
		}
	}
	simd.StreamDone()
}
