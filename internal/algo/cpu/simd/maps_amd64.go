//go:build !noasm && !purego

package simd

import "unsafe"

func encode[U Word](dst, src []U, f unsafe.Pointer) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch wide := unsafe.Sizeof(U(0)) == 8; {
	case wide && Current() == AVX512:
		Encode64AVX512((*uint64)(d), (*uint64)(s), len(src), (*[5]uint64)(f))
	case wide:
		Encode64AVX2((*uint64)(d), (*uint64)(s), len(src), (*[5]uint64)(f))
	case Current() == AVX512:
		Encode32AVX512((*uint32)(d), (*uint32)(s), len(src), (*[5]uint32)(f))
	default:
		Encode32AVX2((*uint32)(d), (*uint32)(s), len(src), (*[5]uint32)(f))
	}
}

func decode[U Word](dst, src []U, f unsafe.Pointer) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch wide := unsafe.Sizeof(U(0)) == 8; {
	case wide && Current() == AVX512:
		Decode64AVX512((*uint64)(d), (*uint64)(s), len(src), (*[5]uint64)(f))
	case wide:
		Decode64AVX2((*uint64)(d), (*uint64)(s), len(src), (*[5]uint64)(f))
	case Current() == AVX512:
		Decode32AVX512((*uint32)(d), (*uint32)(s), len(src), (*[5]uint32)(f))
	default:
		Decode32AVX2((*uint32)(d), (*uint32)(s), len(src), (*[5]uint32)(f))
	}
}

func encodeLoose[U Word](dst, src []U, f unsafe.Pointer) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch wide := unsafe.Sizeof(U(0)) == 8; {
	case wide && Current() == AVX512:
		EncodeLoose64AVX512((*uint64)(d), (*uint64)(s), len(src), (*[5]uint64)(f))
	case wide:
		EncodeLoose64AVX2((*uint64)(d), (*uint64)(s), len(src), (*[5]uint64)(f))
	case Current() == AVX512:
		EncodeLoose32AVX512((*uint32)(d), (*uint32)(s), len(src), (*[5]uint32)(f))
	default:
		EncodeLoose32AVX2((*uint32)(d), (*uint32)(s), len(src), (*[5]uint32)(f))
	}
}

func decodeLoose[U Word](dst, src []U, f unsafe.Pointer) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch wide := unsafe.Sizeof(U(0)) == 8; {
	case wide && Current() == AVX512:
		DecodeLoose64AVX512((*uint64)(d), (*uint64)(s), len(src), (*[5]uint64)(f))
	case wide:
		DecodeLoose64AVX2((*uint64)(d), (*uint64)(s), len(src), (*[5]uint64)(f))
	case Current() == AVX512:
		DecodeLoose32AVX512((*uint32)(d), (*uint32)(s), len(src), (*[5]uint32)(f))
	default:
		DecodeLoose32AVX2((*uint32)(d), (*uint32)(s), len(src), (*[5]uint32)(f))
	}
}

func xor[U Word](dst, src []U, mask U) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	if unsafe.Sizeof(U(0)) == 4 {
		Xor32AVX512((*uint32)(d), (*uint32)(s), len(src), uint32(mask))
	} else {
		Xor64AVX512((*uint64)(d), (*uint64)(s), len(src), uint64(mask))
	}
}

func ordered[U Word](x []U, c Codec[U]) int {
	p, f := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(c.Float)
	switch wide := unsafe.Sizeof(U(0)) == 8; {
	case wide && c.Float != nil:
		return Ordered64FloatAVX512((*uint64)(p), len(x), (*[5]uint64)(f))
	case wide:
		return Ordered64XorAVX512((*uint64)(p), len(x), uint64(c.Mask))
	case c.Float != nil:
		return Ordered32FloatAVX512((*uint32)(p), len(x), (*[5]uint32)(f))
	}
	return Ordered32XorAVX512((*uint32)(p), len(x), uint32(c.Mask))
}
