package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// keysWide sorts 32- and 64-bit keys: in place with vector instructions, else
// with as many keys of scratch as x has.
func keysWide[U wide](x []U, c key.Codec, o Options) error {
	n := len(x)
	if n < tinyMin {
		insertTiny(x, c)
		return nil
	}
	vector := simd.Available()
	if n <= plainMost && !vector {
		encodeTo(x, x, c)
		insertWords(x)
		decodeTo(x, x, c)
		return nil
	}
	r := runOf(o, n)
	// A network costs less than to look whether it is needed.
	if n > tinyMax && keysNearlyInOrder(r, x, c) {
		return r.end()
	}
	if !vector {
		return keysRadix(r, x, c, o)
	}
	if n <= tinyMax {
		encodeTo(x, x, c)
		done := simd.Tiny(x)
		decodeTo(x, x, c)
		if done {
			return nil
		}
	}
	if n < forkItems {
		sortAlone(x, looseCodec[U](c))
		tighten(r, x, c)
		return r.end()
	}
	codec := looseCodec[U](c)
	j := vectorJob[U]{run: r, x: x, codec: codec, raw: codec != simd.Codec[U]{}}
	j.sort()
	tighten(r, x, c)
	return r.end()
}

// sortAlone sorts x, by the encoded keys of c, with vector instructions, which there must be,
// and one worker.
func sortAlone[U wide](x []U, c simd.Codec[U]) {
	s := getScratch[simd.Scratch[U]](1)
	j := getJob[U]()
	*j = simd.Job[U]{Scratch: &s.s[0], Codec: c, Raw: true}
	j.Sort(x, 0)
	putJob(j)
	s.put()
}

// A vector network beats insertion from tinyMin keys on. Up to tinyMax keys a
// network is tried before anything else.
const (
	tinyMin = 6
	tinyMax = 128
)

// insertTiny sorts fewer than tinyMin keys without a pass for the codec.
func insertTiny[U wide](x []U, c key.Codec) {
	if isFloat(c) {
		var encodedKey [tinyMin]U
		f := newFloatMap[U](c)
		for i, u := range x {
			e := f.encode(u)
			j := i
			for ; j > 0 && encodedKey[j-1] > e; j-- {
				encodedKey[j], x[j] = encodedKey[j-1], x[j-1]
			}
			encodedKey[j], x[j] = e, u
		}
		return
	}
	m := intMask[U](c)
	for i := 1; i < len(x); i++ {
		u := x[i]
		j := i
		for ; j > 0 && x[j-1]^m > u^m; j-- {
			x[j] = x[j-1]
		}
		x[j] = u
	}
}

// plainMost is the most words that insertWords is as fast for as a radix sort.
const plainMost = 44

// insertWords sorts x by insertion, without a branch that depends on the order of
// words.
func insertWords[U wide](x []U) {
	for i, u := range x {
		for j, v := range x[:i] {
			x[j] = min(v, u)
			u = max(v, u)
		}
		x[i] = u
	}
}

// vectorCodec returns c in the form of the vector kernels.
func vectorCodec[U wide](c key.Codec) simd.Codec[U] {
	if isFloat(c) {
		return simd.Codec[U]{Float: &floatMapsOf[U]().exact[c&7]}
	}
	return simd.Codec[U]{Mask: intMask[U](c)}
}

// looseCodec is vectorCodec with the loose map of floats, which takes half as many
// instructions; tighten corrects the result.
func looseCodec[U wide](c key.Codec) simd.Codec[U] {
	if isFloat(c) {
		return simd.Codec[U]{Float: &floatMapsOf[U]().loose[c&7]}
	}
	return vectorCodec[U](c)
}

// tighten puts x, sorted by looseCodec, in the order of c.
func tighten[U wide](r *run, x []U, c key.Codec) {
	if isFloat(c) && !r.cancelled() {
		newFloatMap[U](c).tighten(r, x)
	}
}

// keysRadix sorts without vector instructions.
func keysRadix[U wide](r *run, x []U, c key.Codec, o Options) error {
	n := len(x)
	size := int(unsafe.Sizeof(x[0]))
	if o.MemoryCap != 0 && uint64(n)*uint64(size) > o.MemoryCap {
		return keysInPlace(r, x, c)
	}
	if r.isBounded(n, unsafe.Sizeof(x[0])) {
		return sortBounded[U](r, n, 0, encodedKeys[U]{x, c})
	}
	if n*size <= leafBytes {
		tmp := getScratch[U](n)
		defer tmp.put()
		encodeTo(x, x, c)
		if leafSort(x, tmp.s, 0, wordBits[U]()) {
			decodeTo(x, tmp.s, c)
		} else {
			decodeTo(x, x, c)
		}
		return nil
	}
	j := job[U]{run: r, n: n, out: x}
	if c == key.CodecUnsigned {
		j.block = func(i, k int, _ []U) []U { return x[i:k] }
	} else {
		j.block = func(i, k int, buf []U) []U {
			encodeTo(buf[:k-i], x[i:k], c)
			return buf[:k-i]
		}
	}
	j.emit = func(e []U, at int) {
		d := x[at : at+len(e)]
		if &d[0] != &e[0] || c != key.CodecUnsigned {
			decodeTo(d, e, c)
		}
	}
	j.sort()
	return r.end()
}
