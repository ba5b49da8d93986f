//go:build !amd64 || noasm || purego

package simd

func detect() Level { return Plain }

func kernels32() *kernels[uint32] { return nil }

func kernels64() *kernels[uint64] { return nil }
