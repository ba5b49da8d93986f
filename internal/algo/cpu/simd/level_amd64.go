//go:build !noasm

package simd

import "golang.org/x/sys/cpu"

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

var (
	avx512w32 = kernels[uint32]{Sort32AVX512, Part32AVX512, 256}
	avx512w64 = kernels[uint64]{Sort64AVX512, Part64AVX512, 128}
)

func kernels32() *kernels[uint32] {
	if Current() == AVX512 {
		return &avx512w32
	}
	return nil
}

func kernels64() *kernels[uint64] {
	if Current() == AVX512 {
		return &avx512w64
	}
	return nil
}
