package mem

import (
	"fmt"
	"math"
	"time"
	"unsafe"
)

// hugeFrom is the size from which reserved memory asks for huge pages.
const hugeFrom = 32 << 20

// heapTo is the size up to which a table lies in Go's heap after all, so that a sort of few rows makes
// and ends no address range. By judgement: it was not measured by itself.
const heapTo = 256 << 10

// Reserved is a table of plain numbers apart from Go's heap, if it is not small, that takes memory
// only where it is touched, on most systems. It begins as zeros.
type Reserved[T ~uint8 | ~uint32 | ~uint64] struct {
	All []T    // nil after Release
	mem []byte // of a table apart from the heap
}

// Reserve makes a table of n numbers. It returns ErrOutOfMemory if the process may not
// have so large an address range.
func Reserve[T ~uint8 | ~uint32 | ~uint64](n uint64) (Reserved[T], error) {
	var zero T
	bytes := max(n*uint64(unsafe.Sizeof(zero)), 1)
	if bytes > math.MaxInt/2 {
		return Reserved[T]{}, rangeShortage(bytes, "no address range is so large")
	}
	if bytes <= heapTo {
		words := make([]uint64, (bytes+7)/8)
		return Reserved[T]{All: unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), n)}, nil
	}
	b, err := reserve(bytes)
	if err != nil {
		return Reserved[T]{}, rangeShortage(bytes, err.Error())
	}
	if bytes >= hugeFrom {
		preferHuge(b)
	}
	return Reserved[T]{All: unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n), mem: b}, nil
}

func rangeShortage(bytes uint64, why string) error {
	return Shortage("table of rows", fmt.Sprintf("%d MiB", bytes>>20), why, "raise the limit of address space (ulimit -v)")
}

// slowPage is what getting a huge page takes at least where the host of a virtual machine has
// taken free memory back: 4.5 to 6 ms were measured there, 0.1 ms for memory that it had left.
var slowPage = time.Millisecond // a variable for tests

// Suit settles the pages for what follows number i, from which on nothing is filled yet: small
// ones, if a huge one is slow to come. It changes numbers behind i. The system often has small
// ones left, from what was freed in pieces. On such a machine a sort of 335 MB of text took a
// quarter to a third less CPU time by them, elsewhere 4 to 12 % more (docs/sort.md).
func (r *Reserved[T]) Suit(i uint64) {
	const huge = 2 << 20
	var zero T
	at := (i*uint64(unsafe.Sizeof(zero)) + 2*huge) &^ (huge - 1)
	if len(r.mem) < hugeFrom || at+huge > uint64(len(r.mem)) {
		return
	}
	start := time.Now()
	r.mem[at] = 0
	if time.Since(start) > slowPage {
		preferSmall(r.mem[at:])
	}
}

// Drop gives the memory back; all numbers are undefined then.
func (r *Reserved[T]) Drop() {
	if r.mem != nil {
		// Where pages cannot be given back they stay for the next use.
		_ = drop(r.mem)
	}
}

// Release ends the table.
func (r *Reserved[T]) Release() {
	if r.mem != nil {
		unreserve(r.mem)
	}
	*r = Reserved[T]{}
}
