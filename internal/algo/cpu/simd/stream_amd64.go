//go:build !noasm && !purego

package simd

import "unsafe"

// Stream copies StreamBytes from src to dst past the caches; dst is a multiple
// of 32. It must be Available. Others may read dst only after StreamDone.
func Stream(dst, src unsafe.Pointer) { Stream256AVX2((*uint64)(dst), (*uint64)(src)) }
