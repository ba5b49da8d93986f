//go:build !amd64 || noasm || purego

package simd

import "unsafe"

// Current is Plain here: the callers of these decline before.

func encode[U Word]([]U, []U, unsafe.Pointer) {}
func decode[U Word]([]U, []U, unsafe.Pointer) {}

func encodeLoose[U Word]([]U, []U, unsafe.Pointer) {}
func decodeLoose[U Word]([]U, []U, unsafe.Pointer) {}
func xor[U Word]([]U, []U, U)                      {}
