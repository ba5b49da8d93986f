package gpusort

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/few"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// Key is the set of Go's numbers, and of named types on them.
type Key interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64 |
		~int | ~uint | ~uintptr | ~float32 | ~float64
}

// AnyKey is the set of types that sort as keys: Go's numbers, floats of 16 bits, integers
// of 128, and arrays of 16 bytes, which are in order of bytes.
type AnyKey interface {
	Key | ~[16]byte | Float16 | BFloat16 | Uint128
}

// typeOf is the type of T for the packages below.
func typeOf[T AnyKey]() key.Type { return key.TypeOf[T, Float16, BFloat16]() }

// Index is the set of types that indices can have.
type Index interface {
	~uint32 | ~uint64 | ~int | ~int32 | ~int64
}

// Sort sorts x in place in ascending order, on the fastest device present. Short
// slices are sorted on the CPU: below 2^18 items, or the number that "gpusort tune"
// measured.
func Sort[T AnyKey](x []T) {
	if len(x) > 1 {
		ascending(x)
	}
}

// ascending is the rest of Sort, which the compiler inlines without it.
func ascending[T AnyKey](x []T) {
	if !few.Sort(x) {
		sortDefault(x, key.Order{})
	}
}

// SortDesc sorts x in place in descending order, the exact reverse of Sort's.
func SortDesc[T AnyKey](x []T) {
	if !few.SortDesc(x) {
		sortDefault(x, key.Order{Desc: true})
	}
}

// SortPairs sorts the keys k in place in ascending order and moves the values
// along: the pair (k[i], v[i]) stays together, and pairs with equal keys keep
// their order. Values of 4 and 8 bytes without pointers are fastest. For all others
// both slices are copied once. SortPairs panics if the lengths differ. k and v do not
// overlap.
func SortPairs[K AnyKey, V any](k []K, v []V) {
	if len(k) != len(v) || !few.Pairs(k, v) {
		pairsDefault("SortPairs", k, v, key.Order{})
	}
}

// SortPairsDesc is SortPairs with descending keys, stable too.
func SortPairsDesc[K AnyKey, V any](k []K, v []V) {
	pairsDefault("SortPairsDesc", k, v, key.Order{Desc: true})
}

// Argsort returns the indices that put x in ascending order, equal keys in
// order of their index: x[idx[0]] ≤ x[idx[1]] ≤ … It leaves x as it is.
func Argsort[T AnyKey](x []T) []int {
	idx := make([]int, len(x))
	ArgsortInto(idx, x)
	return idx
}

// ArgsortInto writes what Argsort returns to idx, which is as long as x and does not
// overlap it. Indices of 4 bytes are faster. It panics if the lengths differ or x is
// too long for type I.
func ArgsortInto[T AnyKey, I Index](idx []I, x []T) {
	if err := checkIndex("ArgsortInto", idx, x); err != nil {
		panic(err.Error())
	}
	if !few.Argsort(idx, x) {
		sortDefaultJob(op.SortIndicesOf(typeOf[T](), idx, x, key.Order{}))
	}
}

// IsSorted reports whether x is in the ascending order of Sort.
func IsSorted[T AnyKey](x []T) bool { return FirstDisorder(x) < 0 }

// FirstDisorder returns the first i for which x[i] belongs before x[i-1], or
// -1 if x is in the ascending order of Sort.
func FirstDisorder[T AnyKey](x []T) int {
	return cpu.Disorder(typeOf[T](), key.Order{}, pointer(hidden(x)), len(x))
}

// sortDefault lets x stay on the caller's stack.
func sortDefault[T AnyKey](x []T, o key.Order) {
	if preferred.Load() == nil && engine.Alone(typeOf[T](), len(x)) {
		// Without a context it cannot fail.
		_ = cpu.RunKeys(typeOf[T](), o, pointer(hidden(x)), len(x), cpu.Options{})
		return
	}
	offStack(x, func(x []T) { sortDefaultJob(op.SortKeysOf(typeOf[T](), x, o)) })
}

func pairsDefault[K AnyKey, V any](name string, k []K, v []V, o key.Order) {
	if len(k) != len(v) {
		panic(lengths(name, "keys", len(k), "values", len(v)).Error())
	}
	if len(k) < 2 {
		return
	}
	run := func(j op.Job) error {
		sortDefaultJob(j)
		return nil
	}
	// The default engine cannot fail.
	_ = values.Pairs(typeOf[K](), values.Host{}, k, v, o, run)
}

// pointer is the address of the first element; nil for an empty slice.
func pointer[T any](x []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }
