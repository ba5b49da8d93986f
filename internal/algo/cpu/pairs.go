package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// pairsByKey picks the element that carries a key and its value: one 64-bit
// word if both have at most 32 bits, else a rec. Scratch: two elements a pair.
func pairsByKey[U key.Word, V wide](k []U, v []V, c key.Codec, o Options) error {
	if len(k) <= smallItems {
		smallPairs(k, v, c)
		return nil
	}
	r := runOf(o, len(k))
	if pairsInOrder(r, k, v, c) {
		return r.end()
	}
	if o.capped(len(k)) {
		return cappedPairs(k, v, c, o)
	}
	if v32, ok := any(v).([]uint32); ok && unsafe.Sizeof(k[0]) <= 4 {
		return sortPairs[uint64](r, len(k), 32, packed[U]{k, v32, c})
	}
	return sortPairs[rec](r, len(k), 0, records[U, V]{k, v, c})
}

// sortPairs sorts n elements by the bits of word from low on.
func sortPairs[E elem, C mover[E]](r *run, n int, low uint, c C) error {
	if r.isBounded(n, unsafe.Sizeof(*new(E))) {
		return sortBounded[E](r, n, low, c)
	}
	return sortElems[E](r, n, low, c)
}

// carrier moves pairs between the caller's slices and elements. Its methods see
// at most blockItems elements.
type carrier[E elem] interface {
	fill(buf []E, i, j int) // pairs [i, j)
	emit(e []E, at int)     // pairs at, at+1, …
	// tally is countBlock of what fill makes.
	tally(c *counter, i, j int, d digit, ref uint64) uint64
	// needed reports whether all must be emitted, in whatever order, by a cancelled
	// sort too.
	needed() bool
}

// tally32 counts encoded keys of at most 32 bits that stand in the high halves of
// words.
func tally32[U key.Word](k []U, c key.Codec, n *counter, d digit, ref uint64) uint64 {
	if unsafe.Sizeof(k[0]) == 4 && c == key.CodecUnsigned {
		return countEncoded(cast[uint32](k), n, d, ref)
	}
	block := getScratch[uint32](blockItems)
	defer block.put()
	b := block.s[:len(k)]
	encode32(b, k, c)
	return countEncoded(b, n, d, ref)
}

// countEncoded is countBlock of encoded keys that stand in the high halves of words.
func countEncoded(b []uint32, c *counter, d digit, ref uint64) uint64 {
	d.shift -= 32
	return countBlock(b, c, d, ref>>32) << 32
}

// tally64 counts encoded keys of any width that are words.
func tally64[U key.Word](k []U, c key.Codec, n *counter, d digit, ref uint64) uint64 {
	if unsafe.Sizeof(k[0]) == 8 && c == key.CodecUnsigned {
		return countBlock(cast[uint64](k), n, d, ref)
	}
	block := getScratch[uint64](blockItems)
	defer block.put()
	b := block.s[:len(k)]
	encode64(b, k, c)
	return countBlock(b, n, d, ref)
}

// packed carries pairs as encoded key << 32 | value.
type packed[U key.Word] struct {
	k []U
	v []uint32
	c key.Codec
}

func (p packed[U]) fill(buf []uint64, i, j int) {
	if unsafe.Sizeof(p.k[0]) == 4 && p.c == key.CodecUnsigned {
		zip(buf, cast[uint32](p.k[i:j]), p.v[i:j])
		return
	}
	block := getScratch[uint32](blockItems)
	defer block.put()
	b := block.s
	encode32(b[:j-i], p.k[i:j], p.c)
	zip(buf, b[:j-i], p.v[i:j])
}

// zip writes words of high half k and low half v.
func zip(w []uint64, k, v []uint32) {
	if simd.Available() {
		simd.Zip(w[:len(k)], k, v[:len(k)])
		return
	}
	zipPlain(w, k, v)
}

//go:noinline
func zipPlain(w []uint64, k, v []uint32) {
	w, v = w[:len(k)], v[:len(k)]
	for i, u := range k {
		w[i] = uint64(u)<<32 | uint64(v[i])
	}
}

// unzip undoes zip.
func unzip(k, v []uint32, w []uint64) {
	if simd.Available() {
		simd.Unzip(k[:len(w)], v[:len(w)], w)
		return
	}
	unzipPlain(k, v, w)
}

//go:noinline
func unzipPlain(k, v []uint32, w []uint64) {
	k, v = k[:len(w)], v[:len(w)]
	for i, u := range w {
		k[i], v[i] = uint32(u>>32), uint32(u)
	}
}

func (p packed[U]) tally(c *counter, i, j int, d digit, ref uint64) uint64 {
	return tally32(p.k[i:j], p.c, c, d, ref)
}

func (p packed[U]) needed() bool { return true }

func (p packed[U]) move(to, from, n int) {
	copy(p.k[to:to+n], p.k[from:from+n])
	copy(p.v[to:to+n], p.v[from:from+n])
}

func (p packed[U]) emit(e []uint64, at int) {
	k, v := p.k[at:at+len(e)], p.v[at:at+len(e)]
	plain := unsafe.Sizeof(p.k[0]) == 4 && p.c == key.CodecUnsigned
	switch {
	case plain && streams(p.v):
		simd.UnzipStream(cast[uint32](k), v, e)
		simd.StreamDone()
	case plain:
		unzip(cast[uint32](k), v, e)
	default:
		block := getScratch[uint32](blockItems)
		defer block.put()
		b := block.s[:len(e)]
		unzip(b, v, e)
		decode32(k, b, p.c)
	}
}

// streamMin is the length in bytes from which results are written past the
// caches: most of them would have left the level-2 cache before they are used.
const streamMin = 4 << 20

// streams reports whether x is so long, and there are instructions for it.
func streams[T any](x []T) bool {
	return len(x)*int(unsafe.Sizeof(x[0])) >= streamMin && simd.Available()
}

// records carries pairs as recs.
type records[U key.Word, V wide] struct {
	k []U
	v []V
	c key.Codec
}

func (p records[U, V]) fill(buf []rec, i, j int) {
	if unsafe.Sizeof(p.k[0]) == 8 && p.c == key.CodecUnsigned {
		zipRecords(buf, cast[uint64](p.k[i:j]), p.v[i:j])
		return
	}
	block := getScratch[uint64](blockItems)
	defer block.put()
	encode64(block.s, p.k[i:j], p.c)
	zipRecords(buf, block.s[:j-i], p.v[i:j])
}

func (p records[U, V]) tally(c *counter, i, j int, d digit, ref uint64) uint64 {
	return tally64(p.k[i:j], p.c, c, d, ref)
}

func (p records[U, V]) needed() bool { return true }

func (p records[U, V]) move(to, from, n int) {
	copy(p.k[to:to+n], p.k[from:from+n])
	copy(p.v[to:to+n], p.v[from:from+n])
}

func (p records[U, V]) emit(e []rec, at int) {
	if unsafe.Sizeof(p.k[0]) == 8 && p.c == key.CodecUnsigned {
		k, v := cast[uint64](p.k[at:at+len(e)]), p.v[at:at+len(e)]
		if v64, ok := any(v).([]uint64); ok && streams(p.v) {
			w := cast[[2]uint64](e)
			simd.StreamWord(k, w, 0)
			simd.StreamWord(v64, w, 1)
			simd.StreamDone()
			return
		}
		unzipRecords(k, v, e)
		return
	}
	block := getScratch[uint64](blockItems)
	defer block.put()
	b := block.s[:len(e)]
	unzipRecords(b, p.v[at:at+len(e)], e)
	decode64(p.k[at:at+len(e)], b, p.c)
}

//go:noinline
func zipRecords[V wide](r []rec, k []uint64, v []V) {
	r, v = r[:len(k)], v[:len(k)]
	for i, u := range k {
		r[i] = rec{u, uint64(v[i])}
	}
}

//go:noinline
func unzipRecords[V wide](k []uint64, v []V, r []rec) {
	k, v = k[:len(r)], v[:len(r)]
	for i := range r {
		k[i], v[i] = r[i].k, V(r[i].v)
	}
}

// sortElems sorts n elements by the bits of word from low on.
func sortElems[E elem, C carrier[E]](r *run, n int, low uint, c C) error {
	if n*int(unsafe.Sizeof(*new(E))) > leafBytes {
		return sortManyElems[E](r, n, low, c)
	}
	tmp := getScratch[E](2 * n)
	defer tmp.put()
	a, b := tmp.s[:n], tmp.s[n:]
	for i := 0; i < n; i += blockItems {
		j := min(n, i+blockItems)
		c.fill(a[i:j], i, j)
	}
	leaf(a, b, low, wordBits[E](), 0, func(e []E, at int) { emitAll(c, e, at) })
	return nil
}

// sortManyElems is sortElems past the size of a leaf. It is apart so that the
// carrier of a few pairs stays on the stack.
func sortManyElems[E elem, C carrier[E]](r *run, n int, low uint, c C) error {
	j := job[E]{run: r, n: n, low: low, drop: !c.needed(), tally: c.tally, emit: func(e []E, at int) { emitAll(c, e, at) }}
	j.block = func(i, k int, buf []E) []E {
		c.fill(buf[:k-i], i, k)
		return buf[:k-i]
	}
	j.sort()
	return r.end()
}

// emitAll emits any number of elements.
func emitAll[E elem, C carrier[E]](c C, e []E, at int) {
	for len(e) > 0 {
		m := min(blockItems, len(e))
		c.emit(e[:m], at)
		e, at = e[m:], at+m
	}
}
