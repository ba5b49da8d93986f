//go:build amd64 && !noasm

package hostcopy

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// streams reports whether this processor has the stores.
var streams = cpu.X86.HasAVX2

// unit is the number of bytes of one turn of the loops.
const unit = 128

// stream copies n bytes, a multiple of unit; dst is aligned to 64 bytes.
//
//go:noescape
func stream(dst, src unsafe.Pointer, n uintptr)

// streamTwice copies n bytes, a multiple of unit, to two places that are
// aligned to 64 bytes.
//
//go:noescape
func streamTwice(a, b, src unsafe.Pointer, n uintptr)
