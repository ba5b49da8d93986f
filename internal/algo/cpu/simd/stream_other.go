//go:build !amd64 || noasm || purego

package simd

import "unsafe"

// Stream is never called here: no level is Available.
func Stream(dst, src unsafe.Pointer) { *(*[StreamBytes]byte)(dst) = *(*[StreamBytes]byte)(src) }

// StreamDone is never called here.
func StreamDone() {}

// Swap is never called here.
func Swap[U Word]([]U, []U) {}
