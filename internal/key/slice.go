package key

import "unsafe"

// Slice is the memory of a slice of keys or positions whose width code chooses a
// function by, with ByWidth; Words views it.
type Slice struct {
	at unsafe.Pointer
	n  int
}

// Memory returns the memory of x.
func Memory[T any](x []T) Slice { return Slice{unsafe.Pointer(unsafe.SliceData(x)), len(x)} }

// Words views s as words of its elements' width.
func Words[U Word | Octets](s Slice) []U { return unsafe.Slice((*U)(s.at), s.n) }
