package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// Encode writes the encoded keys of src under c to dst, which has its length and is
// the same memory or disjoint.
func Encode[U key.Word](dst, src []U, c key.Codec) {
	if c&key.CodecEqualZeros != 0 || isFloat(c) && unsafe.Sizeof(U(0)) == 2 {
		m := key.MapOf[U](c)
		for i, u := range src {
			dst[i] = m.Of(u)
		}
		return
	}
	switch unsafe.Sizeof(U(0)) {
	case 4:
		encodeTo(cast[uint32](dst), cast[uint32](src), c)
	case 8:
		encodeTo(cast[uint64](dst), cast[uint64](src), c)
	default:
		m := intMask[U](c)
		for i, u := range src {
			dst[i] = u ^ m
		}
	}
}

// Decode undoes Encode of a codec without key.CodecEqualZeros.
func Decode[U key.Word](dst, src []U, c key.Codec) {
	switch unsafe.Sizeof(U(0)) {
	case 4:
		decodeTo(cast[uint32](dst), cast[uint32](src), c)
	case 8:
		decodeTo(cast[uint64](dst), cast[uint64](src), c)
	default:
		if !isFloat(c) {
			Encode(dst, src, c)
			return
		}
		for i, u := range src {
			dst[i] = key.Decode(c, u)
		}
	}
}

// Results returns n elements without pointers, of unspecified content, to be kept. make
// would clear them first, in which no operation can be cancelled.
func Results[E any](n int) []E {
	if n == 0 {
		return []E{}
	}
	units := (uint64(n)*uint64(unsafe.Sizeof(*new(E))) + 15) / 16
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(dirty(units)))), n)
}

// Buffer returns n elements without pointers, of unspecified content, and the function
// that gives them back.
func Buffer[E any](n int) (b []E, put func()) {
	s := getScratch[E](n)
	return s.s, s.put
}
