//go:build !amd64 || noasm

package hostcopy

import "unsafe"

const (
	streams = false
	unit    = 1
)

func stream(dst, src unsafe.Pointer, n uintptr) { plain(dst, src, uint64(n)) }

func streamTwice(a, b, src unsafe.Pointer, n uintptr) {
	plain(a, src, uint64(n))
	plain(b, src, uint64(n))
}
