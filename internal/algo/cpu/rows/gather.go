package rows

import (
	"reflect"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/op"
)

// movedBytes is how much is moved between two looks at the context, and the least that is
// worth a worker.
const movedBytes = 256 << 10

// step is how many elements of type T are moved between two looks at the context.
func step[T any]() int {
	return max(64, movedBytes/max(8, int(unsafe.Sizeof(*new(T)))))
}

// Gather copies src[idx[i]] to dst[i] for every i. Indices beyond src panic as the
// expression does.
func Gather[T any, I op.Integer](h cpu.Options, dst, src []T, idx []I) error {
	if len(dst) != len(idx) {
		return op.Refuse("%d elements to write but %d indices: both slices must have the same length", len(dst), len(idx))
	}
	return gather(h, dst, src, idx)
}

func gather[T any, I op.Integer](h cpu.Options, dst, src []T, idx []I) error {
	return each(h, len(idx), step[T](), true, func(lo, hi int) { gatherPart(dst[lo:hi], src, idx[lo:hi]) })
}

// ahead is how many elements are brought nearer before they are copied.
const ahead = 32

// gatherPart is gather by one worker.
func gatherPart[T any, I op.Integer](dst, src []T, idx []I) {
	if size := unsafe.Sizeof(*new(T)); size <= 16 || len(src)*int(size) < movedBytes {
		dst = dst[:len(idx)]
		for i, from := range idx {
			dst[i] = src[from]
		}
		return
	}
	for len(idx) > 0 {
		n := min(ahead, len(idx))
		touch(src, idx[:n])
		for i, from := range idx[:n] {
			dst[i] = src[from]
		}
		dst, idx = dst[n:], idx[n:]
	}
}

// touch reads a byte of each element, so that all of them are fetched from memory at
// once. Inlined, it would be left out.
//
//go:noinline
func touch[T any, I op.Integer](src []T, idx []I) (sum byte) {
	for _, from := range idx {
		sum += *(*byte)(unsafe.Pointer(&src[from]))
	}
	return sum
}

// Permute makes x[idx[i]] the new x[i] for every i. Until the copy is whole x is only
// read.
func Permute[T any, I op.Integer](h cpu.Options, x []T, idx []I) error {
	if len(x) != len(idx) {
		return op.Refuse("%d elements but %d indices: both slices must have the same length", len(x), len(idx))
	}
	return permute(h, x, idx)
}

func permute[T any, I op.Integer](h cpu.Options, x []T, idx []I) error {
	y, put := buffer[T](len(x))
	defer put()
	if err := gather(h, y, x, idx); err != nil {
		return err
	}
	return each(h, len(x), step[T](), false, func(lo, hi int) { copy(x[lo:hi], y[lo:hi]) })
}

// buffer returns n elements of any content and the function that gives them back.
func buffer[T any](n int) (b []T, put func()) {
	if values.HasPointers(reflect.TypeFor[T]()) {
		return make([]T, n), func() {}
	}
	return cpu.Buffer[T](n)
}

// arrange is permute by the order of a sort. Where memory is limited to less than a copy
// of x it works in place, by one worker; after an error x is then in another order.
func arrange[T any](h cpu.Options, x []T, idx []uint32) error {
	size := uint64(unsafe.Sizeof(*new(T)))
	if (values.Host{Limit: h.MemoryCap}).MayTake(uint64(len(x)) * size) {
		return permute(h, x, idx)
	}
	return follow(h, x, idx)
}

// follow is Permute by a permutation, in place, along its cycles. It leaves idx another
// one. If the context ends x holds all its elements, in some order.
func follow[T any](h cpu.Options, x []T, idx []uint32) error {
	steps := 0
	for at := range idx {
		first, hole := x[at], at
		for from := int(idx[hole]); from != at; from = int(idx[hole]) {
			x[hole], idx[hole] = x[from], uint32(hole)
			hole = from
			if steps++; steps%followed == 0 && h.Err() != nil {
				x[hole] = first
				return h.Err()
			}
		}
		x[hole], idx[hole] = first, uint32(hole)
	}
	return nil
}

// followed is how many steps there are between two looks at the context.
const followed = 1 << 13
