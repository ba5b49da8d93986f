//go:build !noasm && !purego

package simd

import "unsafe"

// floatLoops are a loop's kernels, by width.
type floatLoops struct {
	w32 func(dst, src *uint32, n int, f *[5]uint32)
	w64 func(dst, src *uint64, n int, f *[5]uint64)
}

// mapFloats maps src to dst by the loops of the current level.
func mapFloats[U Word](dst, src []U, f unsafe.Pointer, avx512, avx2 floatLoops) {
	k := avx2
	if Current() == AVX512 {
		k = avx512
	}
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	if unsafe.Sizeof(U(0)) == 8 {
		k.w64((*uint64)(d), (*uint64)(s), len(src), (*[5]uint64)(f))
	} else {
		k.w32((*uint32)(d), (*uint32)(s), len(src), (*[5]uint32)(f))
	}
}

func encode[U Word](dst, src []U, f unsafe.Pointer) {
	mapFloats(dst, src, f, floatLoops{Encode32AVX512, Encode64AVX512}, floatLoops{Encode32AVX2, Encode64AVX2})
}

func decode[U Word](dst, src []U, f unsafe.Pointer) {
	mapFloats(dst, src, f, floatLoops{Decode32AVX512, Decode64AVX512}, floatLoops{Decode32AVX2, Decode64AVX2})
}

func encodeLoose[U Word](dst, src []U, f unsafe.Pointer) {
	mapFloats(dst, src, f, floatLoops{EncodeLoose32AVX512, EncodeLoose64AVX512}, floatLoops{EncodeLoose32AVX2, EncodeLoose64AVX2})
}

func decodeLoose[U Word](dst, src []U, f unsafe.Pointer) {
	mapFloats(dst, src, f, floatLoops{DecodeLoose32AVX512, DecodeLoose64AVX512}, floatLoops{DecodeLoose32AVX2, DecodeLoose64AVX2})
}

func xor[U Word](dst, src []U, mask U) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	if unsafe.Sizeof(U(0)) == 4 {
		Xor32AVX512((*uint32)(d), (*uint32)(s), len(src), uint32(mask))
	} else {
		Xor64AVX512((*uint64)(d), (*uint64)(s), len(src), uint64(mask))
	}
}
