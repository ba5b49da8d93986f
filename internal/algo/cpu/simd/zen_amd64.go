//go:build !noasm && !purego

package simd

import "golang.org/x/sys/cpu"

// zen says that AVX-512 partitions, order checks and scans for one value are those for
// AMD's processors, on which the other partitions take up to six times as long: storing
// compressed words to memory is microcode there. Tests set it.
var zen = cpu.X86.HasAVX512F && CPUVendor() == 0x68747541

// zen32 and zen64 are avx512w32 and avx512w64 with these loops.
var (
	zen32 = zenOf32(avx512w32)
	zen64 = zenOf64(avx512w64)
)

func zenOf32(k kernels[uint32]) kernels[uint32] {
	k.split = func(x *uint32, n int, pivot uint32) int { return Split32ZenAVX512(x, n, pivot, &joinLanes) }
	k.splitXor = func(x *uint32, n int, pivot, mask uint32) int {
		return Split32XorZenAVX512(x, n, pivot, &joinLanes, mask)
	}
	k.splitFloat = func(x *uint32, n int, pivot uint32, f *FloatMap[uint32]) int {
		return Split32FloatZenAVX512(x, n, pivot, &joinLanes, (*[5]uint32)(f))
	}
	k.same = SameZenAVX512
	k.orderedXor = Ordered32XorZenAVX512
	k.orderedFloat = func(x *uint32, n int, f *FloatMap[uint32]) int { return Ordered32FloatZenAVX512(x, n, (*[5]uint32)(f)) }
	return k
}

func zenOf64(k kernels[uint64]) kernels[uint64] {
	k.split = func(x *uint64, n int, pivot uint64) int { return Split64ZenAVX512(x, n, pivot, &splitLanes) }
	k.splitXor = func(x *uint64, n int, pivot, mask uint64) int {
		return Split64XorZenAVX512(x, n, pivot, &splitLanes, mask)
	}
	k.splitFloat = func(x *uint64, n int, pivot uint64, f *FloatMap[uint64]) int {
		return Split64FloatZenAVX512(x, n, pivot, &splitLanes, (*[5]uint64)(f))
	}
	k.same = SameZenAVX512
	k.orderedXor = Ordered64XorZenAVX512
	k.orderedFloat = func(x *uint64, n int, f *FloatMap[uint64]) int { return Ordered64FloatZenAVX512(x, n, (*[5]uint64)(f)) }
	return k
}
