// Package rows sorts slices of any type by keys that functions take out of their elements.
//
// Each function is called once an element, by several goroutines. One column of at most 8
// bytes is sorted as numbers. Any other keys are normalised (internal/key/schema) and
// sorted as byte strings (internal/algo/cpu/bytekeys). Then the elements are
// gathered by plain Go assignments, so that the garbage collector sees every pointer.
package rows

import (
	"encoding/binary"
	"net/netip"
	"reflect"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/schema"
	"github.com/gpusort/gpusort/internal/op"
)

// Order is one column by which rows of type T are sorted.
type Order[T any] struct {
	col column[T]
	*Column
}

// column takes the values of a column out of rows. All but append, compare and few are for
// columns without missing values.
type column[T any] interface {
	// fill writes the values of x, of any kind, to as many at to.
	fill(x []T, to unsafe.Pointer)
	// texts writes the strings or byte slices of x to to.
	texts(x []T, to []string)
	// first is the order of 3 to tinyRows rows, by numbers or texts.
	first(x []T, c *Column) tinyOrder
	// tiny is few of at most tinyRows, of numbers or texts.
	tiny(x []T, c *Column, o tinyOrder, lo, hi int) tinyOrder
	// append appends the normalised key of x's value, which may be missing.
	append(dst []byte, x *T, c *Column, last bool) []byte
	// compare compares the values of two rows, which may be missing.
	compare(a, b *T, c *Column) int
	// few puts the places [lo, hi) of o, which tie, in the order of the column's values,
	// which may be missing. The rest of o stays.
	few(x []T, c *Column, o fewOrder, lo, hi int) fewOrder
}

// By is the column of what f returns, of kind c. K is such a type.
func By[T, K any](f func(*T) K, c *Column) Order[T] { return Order[T]{by[T, K](f), c} }

// ByNull is By where values for which f returns false are missing.
func ByNull[T, K any](f func(*T) (K, bool), c *Column) Order[T] {
	return Order[T]{byNull[T, K](f), c.with(nullable)}
}

// made reports whether o has a function, as neither the zero Order has nor By of nil. Functions are pointers, so
// that o.col has them as its second word, which costs sorts of two rows less than a look by By.
func (o *Order[T]) made() bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(&o.col))[1] != nil }

// checkOrders refuses orders without a function.
func checkOrders[T any](orders []Order[T]) error {
	for i := range orders {
		if !orders[i].made() {
			return op.Refuse("order %d of %d has no function that returns keys: make it with By or ByNull", i+1, len(orders))
		}
	}
	return nil
}

// ColumnOf is the column of values of type K: a number, bool, string, byte slice,
// array of 16 bytes, time.Time or netip.Addr; nil for another struct.
func ColumnOf[K any]() *Column {
	size := int(unsafe.Sizeof(*new(K)))
	switch reflect.TypeFor[K]().Kind() {
	case reflect.Bool:
		return Other(schema.Bool)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Number(key.ByWidth(size, key.I8, key.I16, key.I32, key.I64))
	case reflect.Float32:
		return Number(key.F32)
	case reflect.Float64:
		return Number(key.F64)
	case reflect.String:
		return Other(schema.Text)
	case reflect.Slice:
		return Other(schema.Bytes)
	case reflect.Array:
		return Other(schema.Octets)
	case reflect.Struct:
		switch any(*new(K)).(type) {
		case time.Time:
			return Other(schema.Time)
		case netip.Addr:
			return Other(schema.Addr)
		}
		return nil
	}
	return Number(key.UnsignedOf(size))
}

type by[T, K any] func(*T) K

func (f by[T, K]) fill(x []T, to unsafe.Pointer) {
	out := unsafe.Slice((*K)(to), len(x))
	for i := range x {
		out[i] = f(&x[i])
	}
}

func (f by[T, K]) texts(x []T, to []string) {
	for i := range to {
		to[i] = f.text(&x[i])
	}
}

func (f by[T, K]) text(x *T) string {
	k := f(x)
	if unsafe.Sizeof(k) == unsafe.Sizeof("") {
		return *(*string)(unsafe.Pointer(&k))
	}
	b := *(*[]byte)(unsafe.Pointer(&k))
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func (f by[T, K]) append(dst []byte, x *T, c *Column, last bool) []byte {
	if c.tiny && !c.text {
		return appendLeft(dst, c.left.Of(f.bits(x)), int(unsafe.Sizeof(*new(K))))
	}
	k := f(x)
	return c.Append(dst, unsafe.Pointer(&k), last)
}

// appendLeft appends the highest n bytes of w, and writes no other.
func appendLeft(dst []byte, w uint64, n int) []byte {
	switch n {
	case 1:
		return append(dst, byte(w>>56))
	case 2:
		return binary.BigEndian.AppendUint16(dst, uint16(w>>48))
	case 4:
		return binary.BigEndian.AppendUint32(dst, uint32(w>>32))
	}
	return binary.BigEndian.AppendUint64(dst, w)
}

type byNull[T, K any] func(*T) (K, bool)

func (f byNull[T, K]) append(dst []byte, x *T, c *Column, last bool) []byte {
	k, ok := f(x)
	if !ok {
		return c.AppendNull(dst)
	}
	return c.Append(dst, unsafe.Pointer(&k), last)
}

func (f byNull[T, K]) fill([]T, unsafe.Pointer) { panic("rows: values may be missing") }
func (f byNull[T, K]) texts([]T, []string)      { panic("rows: values may be missing") }
