package few

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/op"
)

// The widths of T are constants for the compiler: of these switches it keeps the cases
// of one width.

// kindOf is that of T. By a Value it costs 2 ns less than by reflect.TypeFor, which matters for two keys.
func kindOf[T any]() reflect.Kind { return reflect.ValueOf(*new(T)).Kind() }

// as views x, of numbers of T's kind and width, as T. Unlike unsafe.Slice it checks nothing.
func as[T, U any](x []U) []T { return *(*[]T)(unsafe.Pointer(&x)) }

// Sort sorts x in the ascending order of docs/order.md and reports true
// if it has few keys, or not many of which few are out of place. If it reports false, as
// where a key is NaN, whose order is by bits, and of keys that are no numbers of Go's, x
// is a permutation of what it was.
func Sort[T any](x []T) bool {
	switch unsafe.Sizeof(*new(T)) {
	case 8:
		switch kindOf[T]() {
		case reflect.Int64, reflect.Int:
			return sortNumbers(as[int64](x))
		case reflect.Uint64, reflect.Uint, reflect.Uintptr:
			return sortNumbers(as[uint64](x))
		case reflect.Float64:
			return sortNumbers(as[float64](x))
		}
	case 4:
		switch kindOf[T]() {
		case reflect.Int32, reflect.Int:
			return sortNumbers(as[int32](x))
		case reflect.Uint32, reflect.Uint, reflect.Uintptr:
			return sortNumbers(as[uint32](x))
		case reflect.Float32:
			return sortNumbers(as[float32](x))
		}
	case 2:
		switch kindOf[T]() {
		case reflect.Int16:
			return sortNumbers(as[int16](x))
		case reflect.Uint16:
			return sortNumbers(as[uint16](x))
		}
	case 1:
		if kindOf[T]() == reflect.Int8 {
			return sortNumbers(as[int8](x))
		}
		return sortNumbers(as[uint8](x))
	}
	return len(x) < 2
}

// SortDesc is Sort in descending order, of at most Most keys.
func SortDesc[T any](x []T) bool {
	if len(x) > Most || !Sort(x) {
		return false
	}
	slices.Reverse(x)
	return true
}

// Pairs is Sort of keys with which values move along: stable. v is as long as k. If it
// reports false, pairs are still together, and those with equal keys in their order.
func Pairs[K, V any](k []K, v []V) bool {
	switch unsafe.Sizeof(*new(K)) {
	case 8:
		switch kindOf[K]() {
		case reflect.Int64, reflect.Int:
			return pairs(as[int64](k), v)
		case reflect.Uint64, reflect.Uint, reflect.Uintptr:
			return pairs(as[uint64](k), v)
		case reflect.Float64:
			return pairs(as[float64](k), v)
		}
	case 4:
		switch kindOf[K]() {
		case reflect.Int32, reflect.Int:
			return pairs(as[int32](k), v)
		case reflect.Uint32, reflect.Uint, reflect.Uintptr:
			return pairs(as[uint32](k), v)
		case reflect.Float32:
			return pairs(as[float32](k), v)
		}
	case 2:
		switch kindOf[K]() {
		case reflect.Int16:
			return pairs(as[int16](k), v)
		case reflect.Uint16:
			return pairs(as[uint16](k), v)
		}
	case 1:
		if kindOf[K]() == reflect.Int8 {
			return pairs(as[int8](k), v)
		}
		return pairs(as[uint8](k), v)
	}
	return len(k) < 2
}

// Argsort writes the stable order of x to idx, which is as long, under the conditions
// of Pairs. If it reports false, idx holds anything.
func Argsort[K any, I op.Index](idx []I, x []K) bool {
	switch unsafe.Sizeof(*new(K)) {
	case 8:
		switch kindOf[K]() {
		case reflect.Int64, reflect.Int:
			return argsort(idx, as[int64](x))
		case reflect.Uint64, reflect.Uint, reflect.Uintptr:
			return argsort(idx, as[uint64](x))
		case reflect.Float64:
			return argsort(idx, as[float64](x))
		}
	case 4:
		switch kindOf[K]() {
		case reflect.Int32, reflect.Int:
			return argsort(idx, as[int32](x))
		case reflect.Uint32, reflect.Uint, reflect.Uintptr:
			return argsort(idx, as[uint32](x))
		case reflect.Float32:
			return argsort(idx, as[float32](x))
		}
	case 2:
		switch kindOf[K]() {
		case reflect.Int16:
			return argsort(idx, as[int16](x))
		case reflect.Uint16:
			return argsort(idx, as[uint16](x))
		}
	case 1:
		if kindOf[K]() == reflect.Int8 {
			return argsort(idx, as[int8](x))
		}
		return argsort(idx, as[uint8](x))
	}
	return false
}
