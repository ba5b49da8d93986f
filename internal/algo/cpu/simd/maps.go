package simd

import "unsafe"

// FloatMap holds the constants M, Twice, Sign, Last and Flip of a float codec:
// with p the usual image of a pattern (negative: all bits flipped; others:
// Sign flipped), the image is p + M, or Twice − p if p < M; minus Last; XOR
// Flip.
type FloatMap[U Word] [5]U

// mapMin is the number of words below which a plain loop is as fast.
const mapMin = 8

// Encode maps src to dst, its length, by f, or declines.
func Encode[U Word](dst, src []U, f *FloatMap[U]) bool {
	if len(src) < mapMin || Current() != AVX512 {
		return false
	}
	encode(dst, src, unsafe.Pointer(f))
	return true
}

// Decode undoes Encode.
func Decode[U Word](dst, src []U, f *FloatMap[U]) bool {
	if len(src) < mapMin || Current() != AVX512 {
		return false
	}
	decode(dst, src, unsafe.Pointer(f))
	return true
}

// Xor writes src XOR mask to dst, its length, or declines.
func Xor[U Word](dst, src []U, mask U) bool {
	if len(src) < mapMin || Current() != AVX512 {
		return false
	}
	xor(dst, src, mask)
	return true
}

// Stream copies src to dst, its length, past the caches where this processor
// can: for results that are not read again soon.
func Stream[T any](dst, src []T) {
	size := int(unsafe.Sizeof(*new(T)))
	n := len(src) * size
	if n < 1024 || Current() != AVX512 {
		copy(dst, src)
		return
	}
	head := int(-uintptr(unsafe.Pointer(unsafe.SliceData(dst)))&63) / size
	copy(dst[:head], src)
	dst, src = dst[head:], src[head:]
	body := len(src) * size &^ 63
	stream(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), body)
	copy(dst[body/size:], src[body/size:])
}

// encodeAll encodes a short x, of any length, by c; decodeAll undoes it.
func encodeAll[U Word](x []U, c Codec[U]) {
	switch {
	case len(x) == 0:
	case c.Float != nil:
		encode(x, x, unsafe.Pointer(c.Float))
	default:
		xor(x, x, c.Mask)
	}
}

func decodeAll[U Word](x []U, c Codec[U]) {
	switch {
	case len(x) == 0:
	case c.Float != nil:
		decode(x, x, unsafe.Pointer(c.Float))
	default:
		xor(x, x, c.Mask)
	}
}

// Encode replaces the words of x by their images.
func (c Codec[U]) Encode(x []U) { encodeAll(x, c) }

// Decode undoes Encode.
func (c Codec[U]) Decode(x []U) { decodeAll(x, c) }

// Ordered returns an i, the images of x[:i+1] being in order, that is close to
// the first disorder if the processor has kernels, and 0 otherwise.
func Ordered[U Word](x []U, c Codec[U]) int {
	if len(x) < 2*Slack || Current() != AVX512 {
		return 0
	}
	return ordered(x, c)
}
