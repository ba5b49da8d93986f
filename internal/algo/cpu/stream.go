package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// writer collects elements by digit in lines of simd.StreamBytes and writes
// each full line past the caches: a place in memory that is written in turn
// with many others would otherwise be fetched into the cache first, and
// evicted before the next element comes. Lines end where addresses are
// multiples of their length, so that the first and the last of a digit, which
// are written by plain stores, may be partial.
type writer struct {
	lines [radix][simd.StreamBytes]byte
	// skew is how many elements fit between the start of the destination's
	// first line and element 0; next and first count from that start.
	skew        uint
	next, first [radix]uint
}

// startWriter sets w up to write elements of digit d to dst from place c[d] on.
func startWriter[E elem](w *writer, dst []E, c *counts) {
	w.skew = uint(uintptr(unsafe.Pointer(unsafe.SliceData(dst))) % simd.StreamBytes / unsafe.Sizeof(dst[0]))
	for d := range c {
		w.next[d] = uint(c[d]) + w.skew
	}
	w.first = w.next
}

// moveLines collects b for dst.
//
//go:noinline
func moveLines[E elem](b, dst []E, w *writer, d digit) {
	size := unsafe.Sizeof(b[0])
	per := uint(simd.StreamBytes / size)
	p := unsafe.Pointer(unsafe.SliceData(dst))
	for k := range b {
		g := d.of(word(&b[k]))
		at := w.next[g]
		w.next[g] = at + 1
		slot := at & (per - 1)
		*(*E)(unsafe.Add(unsafe.Pointer(&w.lines[g]), uintptr(slot)*size)) = b[k]
		if slot == per-1 {
			w.flush(p, g, at, size)
		}
	}
}

// flush writes the line of digit g, full up to place at, to the destination dst.
//
//go:noinline
func (w *writer) flush(dst unsafe.Pointer, g uint8, at uint, size uintptr) {
	per := uint(simd.StreamBytes / size)
	line := at &^ (per - 1)
	if first := w.first[g]; first > line {
		w.copyPart(dst, g, first, at+1, size)
		return
	}
	simd.Stream(unsafe.Add(dst, uintptr(line-w.skew)*size), unsafe.Pointer(&w.lines[g]))
}

// copyPart writes the places [from, to) of one line of digit g.
func (w *writer) copyPart(dst unsafe.Pointer, g uint8, from, to uint, size uintptr) {
	skip := uintptr(from) * size % simd.StreamBytes
	n := uintptr(to-from) * size
	copy(unsafe.Slice((*byte)(unsafe.Add(dst, uintptr(from-w.skew)*size)), n), w.lines[g][skip:skip+n])
}

// drainLines writes to dst what is left, and makes all of it visible to others.
func drainLines[E elem](dst []E, w *writer) {
	size := unsafe.Sizeof(dst[0])
	per := uint(simd.StreamBytes / size)
	for g := range radix {
		to := w.next[g]
		if from := max(w.first[g], to&^(per-1)); from < to {
			w.copyPart(unsafe.Pointer(unsafe.SliceData(dst)), uint8(g), from, to, size)
		}
	}
	simd.StreamDone()
}
