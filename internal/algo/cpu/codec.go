package cpu

import (
	"sort"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// wide is the pattern of a 32- or 64-bit key.
type wide interface{ uint32 | uint64 }

// floatMap holds the constants of the float codecs in branch-free form. With
// m = 2^mantissa − 1 and p the usual encoded key (negative: all bits flipped,
// others: the sign flipped), NaN-first is p + m, except that the negative
// NaNs, p < m, go in reverse to m … 2m−1; NaN-last is that minus 2m.
type floatMap[U wide] struct {
	m     U    // NaN patterns of one sign
	shift uint // of the sign bit
	last  U    // 2m for NaN-last, else 0
	flip  U    // all ones for descending
}

func newFloatMap[U wide](c key.Codec) floatMap[U] {
	f := floatMap[U]{m: 1<<23 - 1, shift: 31}
	if unsafe.Sizeof(f.m) == 8 {
		m := uint64(1<<52 - 1)
		f = floatMap[U]{m: U(m), shift: 63}
	}
	if c&^key.CodecDesc == key.CodecFloatNaNLast {
		f.last = 2 * f.m
	}
	if c&key.CodecDesc != 0 {
		f.flip = ^U(0)
	}
	return f
}

// vector returns the constants as the kernels take them.
func (f floatMap[U]) vector() simd.FloatMap[U] {
	return simd.FloatMap[U]{f.m, 2*f.m - 1, 1 << f.shift, f.last, f.flip}
}

// loose returns the constants of a map in whose order negative NaNs are ascending
// by p, not descending, and everything else is as it is: with M in Last, no word
// has p < M = 0.
func (f floatMap[U]) loose() simd.FloatMap[U] {
	return simd.FloatMap[U]{0, 0, 1 << f.shift, f.last - f.m, f.flip}
}

// tighten puts x, in the order of loose, in that of f.
func (f floatMap[U]) tighten(r *run, x []U) {
	// NaNs are all at one end.
	if n := len(x); n == 0 || !f.isNaN(x[0]) && !f.isNaN(x[n-1]) {
		return
	}
	// The encoded keys of the negative NaNs are those from lo to hi.
	lo, hi := f.encode(^U(0)), f.encode(^(f.m - 1))
	if lo > hi {
		lo, hi = hi, lo
	}
	from := sort.Search(len(x), func(i int) bool { return f.encode(x[i]) >= lo })
	to := sort.Search(len(x), func(i int) bool { return f.encode(x[i]) > hi })
	if nans := x[from:max(from, to)]; len(nans) > 1 {
		r.inSteps(len(nans)/2, 2*int(unsafe.Sizeof(x[0])), func(lo, hi int) { mirror(nans, lo, hi) })
	}
}

// floatMaps are the maps of the float codecs as the kernels take them, by codec. They
// are made once: what a call made would be allocated, since its address goes to
// whichever kernels the processor has.
type floatMaps[U wide] struct{ exact, loose [8]simd.FloatMap[U] }

var floatMaps32, floatMaps64 = newFloatMaps[uint32](), newFloatMaps[uint64]()

func newFloatMaps[U wide]() (m floatMaps[U]) {
	for c := range m.exact {
		f := newFloatMap[U](key.Codec(c))
		m.exact[c], m.loose[c] = f.vector(), f.loose()
	}
	return m
}

func floatMapsOf[U wide]() *floatMaps[U] {
	if unsafe.Sizeof(U(0)) == 4 {
		return (*floatMaps[U])(unsafe.Pointer(&floatMaps32))
	}
	return (*floatMaps[U])(unsafe.Pointer(&floatMaps64))
}

// isNaN reports whether u is a NaN pattern: infinity is the sign flipped of the
// pattern ¬m, less the sign.
func (f floatMap[U]) isNaN(u U) bool { return u<<1 > ^f.m<<1 }

func (f floatMap[U]) encode(u U) U {
	neg := -(u >> f.shift)
	p := u ^ (neg | 1<<f.shift)
	y := p + f.m
	if p < f.m {
		y = 2*f.m - 1 - p
	}
	return (y - f.last) ^ f.flip
}

func (f floatMap[U]) decode(y U) U {
	y = (y ^ f.flip) + f.last
	p := y - f.m
	if p < f.m {
		p = 2*f.m - 1 - y
	}
	return p ^ ((p>>f.shift - 1) | 1<<f.shift)
}

// intMask is what integer codecs XOR a pattern with, in both directions.
func intMask[U key.Word](c key.Codec) U {
	var m U
	if c&key.CodecSigned != 0 {
		m = ^(^U(0) >> 1)
	}
	if c&key.CodecDesc != 0 {
		m = ^m
	}
	return m
}

func isFloat(c key.Codec) bool { return c&key.CodecFloatNaNFirst != 0 }

// encodeTo writes the encoded keys of src to dst, which has its length and is the
// same memory or disjoint.
func encodeTo[U wide](dst, src []U, c key.Codec) {
	dst = dst[:len(src)]
	if isFloat(c) {
		if !simd.Encode(dst, src, &floatMapsOf[U]().exact[c&7]) {
			f := newFloatMap[U](c)
			for i, u := range src {
				dst[i] = f.encode(u)
			}
		}
		return
	}
	m := intMask[U](c)
	if m == 0 {
		if len(src) > 0 && &dst[0] != &src[0] {
			copyAligned(dst, src)
		}
	} else if !simd.Xor(dst, src, m) {
		for i, u := range src {
			dst[i] = u ^ m
		}
	}
}

// copyAligned copies src to dst. Where the bulk of dst starts at a multiple of 16
// bytes, Go copies long slices by string moves, which need not fetch the lines
// that they write.
func copyAligned[U wide](dst, src []U) {
	head := min(len(src), int(-uintptr(unsafe.Pointer(&dst[0]))%16/unsafe.Sizeof(src[0])))
	copy(dst, src[:head])
	copy(dst[head:], src[head:])
}

// decodeTo undoes encodeTo.
func decodeTo[U wide](dst, src []U, c key.Codec) {
	if !isFloat(c) {
		encodeTo(dst, src, c)
		return
	}
	dst = dst[:len(src)]
	if !simd.Decode(dst, src, &floatMapsOf[U]().exact[c&7]) {
		f := newFloatMap[U](c)
		for i, u := range src {
			dst[i] = f.decode(u)
		}
	}
}
