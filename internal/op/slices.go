package op

import (
	"math"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// Index is the set of types that indices can have.
type Index interface {
	~uint32 | ~uint64 | ~int | ~int32 | ~int64
}

// HoldsIndices reports whether type I has the indices of n items.
func HoldsIndices[I Index](n int) bool {
	var i I
	most := uint64(math.MaxUint32)
	if i-1 < i {
		most = math.MaxInt32
	}
	return unsafe.Sizeof(i) == 8 || n == 0 || uint64(n-1) <= most
}

// SortKeys is the sort of x in place.
func SortKeys[T key.Key](x []T, o key.Order) Job { return SortKeysOf(key.Of[T](), x, o) }

// SortKeysOf is SortKeys of keys of type t.
func SortKeysOf[T any](t key.Type, x []T, o key.Order) Job {
	return Job{Spec: Spec{Type: t, Order: o, Items: uint64(len(x))}, At: Memory{start(x)}}
}

// SortIndices writes the order of x to idx, which is as long.
func SortIndices[I Index, T key.Key](idx []I, x []T, o key.Order) Job {
	return SortIndicesOf(key.Of[T](), idx, x, o)
}

// SortIndicesOf is SortIndices of keys of type t.
func SortIndicesOf[I Index, T any](t key.Type, idx []I, x []T, o key.Order) Job {
	return Job{
		Spec: Spec{Type: t, Mode: Argsort, Order: o, Items: uint64(len(x)), ValueBytes: int(unsafe.Sizeof(*new(I)))},
		At:   Memory{start(x), start(idx)},
	}
}

// AddValues is the sort of keys j that moves as many values of 4 or 8 bytes along.
func (j Job) AddValues(values unsafe.Pointer, bytes int) Job {
	j.Mode, j.ValueBytes, j.At[ValuesIO] = Pairs, bytes, values
	return j
}

// Words views j's keys and its values, nil without values.
func Words[U key.Word, V uint32 | uint64](j Job) (k []U, v []V) {
	if j.ValueBytes != 0 {
		v = unsafe.Slice((*V)(j.At[ValuesIO]), j.Items)
	}
	return unsafe.Slice((*U)(j.At[KeysIO]), j.Items), v
}

// start is the address of the first element; nil for an empty slice.
func start[T any](x []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }
