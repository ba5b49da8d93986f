package gpusort

import (
	"net/netip"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
)

// Uint128 is an unsigned integer of 128 bits, Hi·2^64 + Lo.
type Uint128 = cpu.Uint128

// Float16 is an IEEE 754 binary16 by its bits: a sign, 5 bits of exponent, 10 of fraction.
type Float16 = cpu.Float16

// BFloat16 is the upper half of the bits of a float32: a sign, 8 bits of exponent, 7 of
// fraction.
type BFloat16 = cpu.BFloat16

// ColumnKey is the set of types that By takes as keys: numbers, strings and byte slices by
// bytes, false before true, times by the wall clock whatever their location, addresses as
// netip.Addr.Compare has them.
type ColumnKey interface {
	Key | ~string | ~[]byte | ~bool | ~[16]byte | time.Time | netip.Addr | Uint128 | Float16 | BFloat16
}

// Order is one column by which SortBy sorts values of type T. By and ByNull make it. By
// the zero Order, or one of a nil function, nothing is sorted: SortBy panics, and
// SortByWith returns an error.
type Order[T any] struct{ o cpu.Order[T] }

// By orders by what key returns, ascending. key is called once for each element, by
// several goroutines at a time. It does not change the elements. Floats are in the order
// of Sort, in which −0 is before +0 and NaNs of different bits differ, whatever the
// options of a Sorter: Order.EqualZeros has them tie.
func By[T any, K ColumnKey](key func(*T) K) Order[T] { return Order[T]{cpu.By(key)} }

// ByNull is By with keys that may be missing, for which key returns false. Those come
// first.
func ByNull[T any, K ColumnKey](key func(*T) (K, bool)) Order[T] {
	return Order[T]{cpu.ByNull(key)}
}

// Desc is o in the reverse order of keys. Elements with equal keys keep their order, and
// missing keys their place.
func (o Order[T]) Desc() Order[T] {
	return Order[T]{o.o.Desc()}
}

// NaNLast is o with NaN behind +Inf, in descending order before it, and not at the other
// end. It changes nothing for keys that are no floats.
func (o Order[T]) NaNLast() Order[T] {
	return Order[T]{o.o.NaNLast()}
}

// EqualZeros is o where −0 and +0 tie, and all NaNs: the next order is asked for them. It
// changes nothing for keys that are no floats.
func (o Order[T]) EqualZeros() Order[T] {
	return Order[T]{o.o.EqualZeros()}
}

// NullsLast is o with missing keys behind all others, in both directions.
func (o Order[T]) NullsLast() Order[T] {
	return Order[T]{o.o.NullsLast()}
}

// unwrapped views orders as what they hold.
func unwrapped[T any](orders []Order[T]) []rows.Order[T] {
	return *(*[]rows.Order[T])(unsafe.Pointer(&orders))
}
