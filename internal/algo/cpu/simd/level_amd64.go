//go:build !noasm && !purego

package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func detect() Level {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasBMI2 || !x.HasPOPCNT:
		return Plain
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL:
		return AVX512
	}
	return AVX2
}

var avx512w32 = kernels[uint32]{
	sort: Sort32AVX512,
	part: Part32AVX512,
	split: func(x *uint32, n int, pivot uint32) int {
		return Split32AVX512(x, n, pivot, &splitLanes)
	},
	splitXor: func(x *uint32, n int, pivot, mask uint32) int {
		return Split32XorAVX512(x, n, pivot, &splitLanes, mask)
	},
	splitFloat: func(x *uint32, n int, pivot uint32, f *FloatMap[uint32]) int {
		return Split32FloatAVX512(x, n, pivot, &splitLanes, (*[5]uint32)(f))
	},
	orderedXor:   Ordered32XorAVX512,
	orderedFloat: func(x *uint32, n int, f *FloatMap[uint32]) int { return Ordered32FloatAVX512(x, n, (*[5]uint32)(f)) },
	two:          Two32AVX512,
	twoFill:      TwoFill32AVX512,
	same:         SameAVX512,
	few:          few32,
	netMax:       256,
	lanes:        16,
}

var avx512w64 = kernels[uint64]{
	sort: Sort64AVX512,
	part: func(x *uint64, n int, pivot uint64, buf *uint64) int {
		return Part64AVX512(x, n, pivot, buf, &partLanes)
	},
	split: func(x *uint64, n int, pivot uint64) int {
		return Split64AVX512(x, n, pivot, &splitLanes)
	},
	splitXor: func(x *uint64, n int, pivot, mask uint64) int {
		return Split64XorAVX512(x, n, pivot, &splitLanes, mask)
	},
	splitFloat: func(x *uint64, n int, pivot uint64, f *FloatMap[uint64]) int {
		return Split64FloatAVX512(x, n, pivot, &splitLanes, (*[5]uint64)(f))
	},
	orderedXor:   Ordered64XorAVX512,
	orderedFloat: func(x *uint64, n int, f *FloatMap[uint64]) int { return Ordered64FloatAVX512(x, n, (*[5]uint64)(f)) },
	two:          Two64AVX512,
	twoFill:      TwoFill64AVX512,
	same:         SameAVX512,
	few:          few64,
	netMax:       128,
	lanes:        8,
}

var avx2w32 = kernels[uint32]{
	sort:  sort32AVX2,
	split: func(x *uint32, n int, pivot uint32) int { return Split32AVX2(x, n, pivot, &split32) },
	splitFloat: func(x *uint32, n int, pivot uint32, f *FloatMap[uint32]) int {
		return Split32FloatAVX2(x, n, pivot, &split32, (*[5]uint32)(f))
	},
	two:     Two32AVX2,
	twoFill: TwoFill32AVX2,
	same:    SameAVX2,
	netMax:  128,
	lanes:   8,
}

var avx2w64 = kernels[uint64]{
	sort:  sort64AVX2,
	split: func(x *uint64, n int, pivot uint64) int { return Split64AVX2(x, n, pivot, &split64) },
	splitFloat: func(x *uint64, n int, pivot uint64, f *FloatMap[uint64]) int {
		return Split64FloatAVX2(x, n, pivot, &split64, (*[5]uint64)(f))
	},
	two:     Two64AVX2,
	twoFill: TwoFill64AVX2,
	same:    SameAVX2,
	netMax:  64,
	lanes:   4,
}

// sort32AVX2 sorts up to 128 words: more than a network of sixteen registers holds are
// sorted in two parts, and these merged by its last level. sort64AVX2 sorts up to 64.
func sort32AVX2(x *uint32, n int) {
	const most = 64
	if n <= most {
		Sort32AVX2(x, n)
		return
	}
	Sort32AVX2(x, most)
	Sort32AVX2((*uint32)(unsafe.Add(unsafe.Pointer(x), most*4)), n-most)
	Merge32AVX2(x, n)
}

func sort64AVX2(x *uint64, n int) {
	const most = 32
	if n <= most {
		Sort64AVX2(x, n)
		return
	}
	Sort64AVX2(x, most)
	Sort64AVX2((*uint64)(unsafe.Add(unsafe.Pointer(x), most*8)), n-most)
	Merge64AVX2(x, n)
}

func kernels32() *kernels[uint32] {
	if zen && Current() == AVX512 {
		return &zen32
	}
	return [...]*kernels[uint32]{nil, &avx2w32, &avx512w32}[Current()]
}

func kernels64() *kernels[uint64] {
	if zen && Current() == AVX512 {
		return &zen64
	}
	return [...]*kernels[uint64]{nil, &avx2w64, &avx512w64}[Current()]
}
