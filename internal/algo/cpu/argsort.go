package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

func argsortByKey[U key.Word, I wide](k []U, idx []I, c key.Codec, o Options) error {
	n := len(k)
	if n <= smallItems {
		smallArgsort(k, idx, c)
		return nil
	}
	r := runOf(o, n)
	if scan(r, k, c, false) < 0 {
		r.inSteps(n, int(unsafe.Sizeof(idx[0])), func(lo, hi int) { count(idx[lo:hi], lo, 1) })
		return r.end()
	}
	if scan(r, k, c^key.CodecDesc, true) < 0 {
		r.inSteps(n, int(unsafe.Sizeof(idx[0])), func(lo, hi int) { count(idx[lo:hi], n-1-lo, -1) })
		return r.end()
	}
	if o.capped(n) {
		return cappedArgsort(k, idx, c, o)
	}
	vector := simd.Available() && n > 64 && uint64(n) < 1<<32
	switch {
	case unsafe.Sizeof(k[0]) <= 4 && uint64(n) <= 1<<32 && !(vector && uneven(k, c)):
		return sortElems(r, n, 32, packedIndex[U, I]{k, idx, c})
	case vector:
		return argsortVector(r, k, c, func(p []uint64, at int) { positions(idx, at, p) })
	default:
		return sortElems(r, n, 0, recordIndex[U, I]{k, idx, c})
	}
}

// count sets idx to from, from + step, …
func count[I wide](idx []I, from, step int) {
	for i := range idx {
		idx[i] = I(from + i*step)
	}
}

// positions writes the low halves of w to idx[at:].
func positions[I wide](idx []I, at int, w []uint64) {
	out := idx[at : at+len(w)]
	switch {
	case unsafe.Sizeof(I(0)) == 8:
		for i := range out {
			out[i] = I(uint32(w[i]))
		}
	case streams(idx):
		simd.StreamHalf(cast[uint32](out), w, false)
		simd.StreamDone()
	default:
		simd.Low32(cast[uint32](out), w)
	}
}

// packedIndex makes elements of encoded key << 32 | position.
type packedIndex[U key.Word, I wide] struct {
	k   []U
	idx []I
	c   key.Codec
}

func (p packedIndex[U, I]) fill(buf []uint64, i, j int) {
	block := getScratch[uint32](blockItems)
	defer block.put()
	b := tagEncoded(block.s, p.k[i:j], p.c, 0)
	if simd.Available() {
		simd.ZipAt(buf[:j-i], b, i)
		return
	}
	for at, u := range b {
		buf[at] = uint64(u)<<32 | uint64(i+at)
	}
}

func (p packedIndex[U, I]) tally(c *counter, i, j int, d digit, ref uint64) uint64 {
	return tally32(p.k[i:j], p.c, c, d, ref)
}

func (p packedIndex[U, I]) needed() bool { return false }

func (p packedIndex[U, I]) emit(e []uint64, at int) {
	positions(p.idx, at, e)
}

// recordIndex makes recs of encoded key and position.
type recordIndex[U key.Word, I wide] struct {
	k   []U
	idx []I
	c   key.Codec
}

func (p recordIndex[U, I]) fill(buf []rec, i, j int) {
	block := getScratch[uint64](blockItems)
	defer block.put()
	b := block.s
	encode64(b[:j-i], p.k[i:j], p.c)
	for at := range buf[:j-i] {
		buf[at] = rec{b[at], uint64(i + at)}
	}
}

func (p recordIndex[U, I]) tally(c *counter, i, j int, d digit, ref uint64) uint64 {
	return tally64(p.k[i:j], p.c, c, d, ref)
}

func (p recordIndex[U, I]) needed() bool { return false }

func (p recordIndex[U, I]) emit(e []rec, at int) {
	d := p.idx[at : at+len(e)]
	for i := range d {
		d[i] = I(e[i].v)
	}
}
