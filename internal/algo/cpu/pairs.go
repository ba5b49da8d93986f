package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// pairsByKey picks the element that carries a key and its value: one 64-bit
// word if both have at most 32 bits, else a rec. Scratch: two elements a pair.
func pairsByKey[U key.Word, V wide](k []U, v []V, c key.Codec, o Options) error {
	if len(k) <= smallItems {
		smallPairs(k, v, c)
		return nil
	}
	if FirstDisorder(k, c) < 0 {
		return nil
	}
	if firstNoFall(k, c) < 0 {
		reverse(k)
		reverse(v)
		return nil
	}
	if v32, ok := any(v).([]uint32); ok && unsafe.Sizeof(k[0]) <= 4 {
		return sortElems(len(k), 32, o, packed[U]{k, v32, c})
	}
	return sortElems(len(k), 0, o, records[U, V]{k, v, c})
}

// carrier moves pairs between the caller's slices and elements. Both methods
// see at most blockItems elements.
type carrier[E elem] interface {
	fill(buf []E, i, j int) // pairs [i, j)
	emit(e []E, at int)     // pairs at, at+1, …
}

// packed carries pairs as key image << 32 | value.
type packed[U key.Word] struct {
	k []U
	v []uint32
	c key.Codec
}

func (p packed[U]) fill(buf []uint64, i, j int) {
	block := getScratch[uint32](blockItems)
	defer block.put()
	b := block.s
	images32(b[:j-i], p.k[i:j], p.c)
	for at, w := range p.v[i:j] {
		buf[at] = uint64(b[at])<<32 | uint64(w)
	}
}

func (p packed[U]) emit(e []uint64, at int) {
	block := getScratch[uint32](blockItems)
	defer block.put()
	b := block.s
	v := p.v[at : at+len(e)]
	for i := range v {
		v[i] = uint32(e[i])
		b[i] = uint32(e[i] >> 32)
	}
	patterns32(p.k[at:at+len(e)], b[:len(e)], p.c)
}

// records carries pairs as recs.
type records[U key.Word, V wide] struct {
	k []U
	v []V
	c key.Codec
}

func (p records[U, V]) fill(buf []rec, i, j int) {
	block := getScratch[uint64](blockItems)
	defer block.put()
	b := block.s
	images64(b[:j-i], p.k[i:j], p.c)
	for at, w := range p.v[i:j] {
		buf[at] = rec{b[at], uint64(w)}
	}
}

func (p records[U, V]) emit(e []rec, at int) {
	block := getScratch[uint64](blockItems)
	defer block.put()
	b := block.s
	v := p.v[at : at+len(e)]
	for i := range v {
		v[i] = V(e[i].v)
		b[i] = e[i].k
	}
	patterns64(p.k[at:at+len(e)], b[:len(e)], p.c)
}

// sortElems sorts n elements by the bits of word from low on.
func sortElems[E elem, C carrier[E]](n int, low uint, o Options, c C) error {
	if n*int(unsafe.Sizeof(*new(E))) > leafBytes {
		return sortManyElems[E](n, low, o, c)
	}
	tmp := getScratch[E](2 * n)
	defer tmp.put()
	a, b := tmp.s[:n], tmp.s[n:]
	for i := 0; i < n; i += blockItems {
		j := min(n, i+blockItems)
		c.fill(a[i:j], i, j)
	}
	if leaf(a, b, low, wordBits[E]()) {
		a = b
	}
	emitAll[E](c, a, 0)
	return nil
}

// sortManyElems is sortElems past the size of a leaf. It is apart so that the
// carrier of a few pairs stays on the stack.
func sortManyElems[E elem, C carrier[E]](n int, low uint, o Options, c C) error {
	r := newRun(o)
	j := job[E]{run: r, n: n, low: low, emit: func(e []E, at int) { emitAll(c, e, at) }}
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
