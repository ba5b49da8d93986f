//go:build !noasm && !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// zen says that AVX-512 partitions and order checks are those for AMD's processors, on
// which the other partitions take up to six times as long: storing compressed words to
// memory is microcode there. Tests set it.
var zen = cpu.X86.HasAVX512F && CPUVendor() == 0x68747541

// zen32 and zen64 are avx512w32 and avx512w64 with these partitions.
var (
	zen32 = zenOf(avx512w32, zenSplits[uint32]{
		split: func(x *uint32, n int, pivot uint32) int {
			return Split32ZenAVX512(x, n, pivot, &joinLanes)
		},
		splitXor: func(x *uint32, n int, pivot, mask uint32) int {
			return Split32XorZenAVX512(x, n, pivot, &joinLanes, mask)
		},
		splitFloat: func(x *uint32, n int, pivot uint32, f *FloatMap[uint32]) int {
			return Split32FloatZenAVX512(x, n, pivot, &joinLanes, (*[5]uint32)(f))
		},
	})
	zen64 = zenOf(avx512w64, zenSplits[uint64]{
		split: func(x *uint64, n int, pivot uint64) int {
			return Split64ZenAVX512(x, n, pivot, &splitLanes)
		},
		splitXor: func(x *uint64, n int, pivot, mask uint64) int {
			return Split64XorZenAVX512(x, n, pivot, &splitLanes, mask)
		},
		splitFloat: func(x *uint64, n int, pivot uint64, f *FloatMap[uint64]) int {
			return Split64FloatZenAVX512(x, n, pivot, &splitLanes, (*[5]uint64)(f))
		},
	})
)

// zenSplits are the fields of kernels that differ.
type zenSplits[U Word] struct {
	split      func(x *U, n int, pivot U) int
	splitXor   func(x *U, n int, pivot, mask U) int
	splitFloat func(x *U, n int, pivot U, f *FloatMap[U]) int
}

func zenOf[U Word](k kernels[U], s zenSplits[U]) kernels[U] {
	k.split, k.splitXor, k.splitFloat = s.split, s.splitXor, s.splitFloat
	return k
}

// zenOrdered is ordered, which reads streams, in the order of addresses.
func zenOrdered[U Word](x []U, c Codec[U]) int {
	p, f := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(c.Float)
	switch wide := unsafe.Sizeof(U(0)) == 8; {
	case wide && c.Float != nil:
		return Ordered64FloatZenAVX512((*uint64)(p), len(x), (*[5]uint64)(f))
	case wide:
		return Ordered64XorZenAVX512((*uint64)(p), len(x), uint64(c.Mask))
	case c.Float != nil:
		return Ordered32FloatZenAVX512((*uint32)(p), len(x), (*[5]uint32)(f))
	}
	return Ordered32XorZenAVX512((*uint32)(p), len(x), uint32(c.Mask))
}
