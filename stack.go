package gpusort

import (
	"runtime/metrics"
	"slices"
	"sync"
	"unsafe"
)

// hidden is x, of which the compiler no longer knows where it came from, so that
// the caller's slice may stay on its stack. Nobody else may then hold a pointer to
// it when the stack moves: callers see to that.
func hidden[T any](x []T) []T {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	return unsafe.Slice(*(**T)(unsafe.Pointer(&at)), len(x))
}

// offStack calls sort with x, or if x may lie on the caller's stack, with a copy in
// the heap, which it copies back.
func offStack[T any](x []T, sort func([]T)) {
	size := uintptr(len(x)) * unsafe.Sizeof(x[0])
	if !mayBeOnStack(uintptr(unsafe.Pointer(unsafe.SliceData(x))), size) {
		sort(hidden(x))
		return
	}
	y := slices.Clone(x)
	sort(y)
	copy(x, y)
}

var stackSamples = sync.Pool{New: func() any {
	return &[1]metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
}}

// mayBeOnStack reports whether memory at so high an address can be of this
// goroutine's stack: that of callers lies above what is called, and no stack is
// longer than all of them together.
func mayBeOnStack(at, size uintptr) bool {
	var here byte
	above := at - uintptr(unsafe.Pointer(&here))
	const most = 1 << 30 // the longest stack by default: see debug.SetMaxStack
	if above > most {
		return false
	}
	s := stackSamples.Get().(*[1]metrics.Sample)
	defer stackSamples.Put(s)
	metrics.Read(s[:])
	return s[0].Value.Kind() != metrics.KindUint64 || uint64(above+size) <= s[0].Value.Uint64()
}
