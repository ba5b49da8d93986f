//go:build !noasm && !purego

package simd

import "unsafe"

// Stream copies StreamBytes from src to dst past the caches; dst is a multiple
// of 32. It must be Available. Others may read dst only after StreamDone.
func Stream(dst, src unsafe.Pointer) { Stream256AVX2((*uint64)(dst), (*uint64)(src)) }

// Swap exchanges the words of a and b, which have one length and do not overlap.
// It must be Available.
func Swap[U Word](a, b []U) {
	const words = 128 // whole turns for both widths
	n := len(a) &^ (words - 1)
	if n > 0 {
		p, q := unsafe.Pointer(&a[0]), unsafe.Pointer(&b[:n][0])
		SwapAVX2((*uint64)(p), (*uint64)(q), n*int(unsafe.Sizeof(a[0])))
	}
	b = b[:len(a)]
	for i := n; i < len(a); i++ {
		a[i], b[i] = b[i], a[i]
	}
}
