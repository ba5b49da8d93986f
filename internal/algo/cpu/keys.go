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
	if n <= insertionMax && !vector {
		encodeTo(x, x, c)
		insertion(x, 0)
		decodeTo(x, x, c)
		return nil
	}
	// A network costs less than to look whether it is needed.
	if n > tinyMax && noteOrder(x, c) {
		return nil
	}
	if !vector {
		return keysRadix(x, c, o)
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
		s := getScratch[simd.Scratch[U]](1)
		j := getJob[U]()
		*j = simd.Job[U]{Scratch: &s.s[0], Codec: looseCodec[U](c), Raw: true}
		j.Sort(x, 0)
		putJob(j)
		s.put()
		tighten(x, c)
		return nil
	}
	r := newRun(o)
	j := vectorJob[U]{run: r, x: x, codec: looseCodec[U](c), raw: true}
	j.sort()
	tighten(x, c)
	return r.end()
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
		var image [tinyMin]U
		f := newFloatMap[U](c)
		for i, u := range x {
			e := f.encode(u)
			j := i
			for ; j > 0 && image[j-1] > e; j-- {
				image[j], x[j] = image[j-1], x[j-1]
			}
			image[j], x[j] = e, u
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

// vectorCodec returns c in the form of the vector kernels.
func vectorCodec[U wide](c key.Codec) simd.Codec[U] {
	if isFloat(c) {
		f := newFloatMap[U](c).vector()
		return simd.Codec[U]{Float: &f}
	}
	return simd.Codec[U]{Mask: intMask[U](c)}
}

// looseCodec is vectorCodec with the loose map of floats, which takes half as many
// instructions; tighten corrects the result.
func looseCodec[U wide](c key.Codec) simd.Codec[U] {
	if isFloat(c) {
		f := newFloatMap[U](c).loose()
		return simd.Codec[U]{Float: &f}
	}
	return vectorCodec[U](c)
}

// tighten puts x, sorted by looseCodec, in the order of c.
func tighten[U wide](x []U, c key.Codec) {
	if isFloat(c) {
		newFloatMap[U](c).tighten(x)
	}
}

// keysRadix sorts without vector instructions.
func keysRadix[U wide](x []U, c key.Codec, o Options) error {
	n := len(x)
	size := int(unsafe.Sizeof(x[0]))
	if o.MemoryCap != 0 && uint64(n)*uint64(size) > o.MemoryCap {
		return keysInPlace(x, c, o)
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
	r := newRun(o)
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

// noteOrder reports whether x is sorted, after reversing it if it was in
// reverse order.
func noteOrder[U key.Word](x []U, c key.Codec) bool {
	at := FirstDisorder(x, c)
	if at < 0 {
		return true
	}
	if firstRise(x, c) < 0 {
		reverse(x)
		return true
	}
	return false
}

func reverse[T any](x []T) {
	for i, k := 0, len(x)-1; i < k; i, k = i+1, k-1 {
		x[i], x[k] = x[k], x[i]
	}
}
