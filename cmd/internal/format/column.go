package format

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// Column is items in memory. Data is little-endian, aligned to 8 bytes, and a
// whole number of items.
type Column struct {
	Item
	Data []byte
}

// NewColumn reserves n zero items.
func NewColumn(it Item, n int) *Column {
	return &Column{Item: it, Data: alloc(n * it.Bytes)}
}

// Len returns the number of items.
func (c *Column) Len() int { return len(c.Data) / c.Bytes }

// alloc reserves zero bytes, aligned to 8.
func alloc(n int) []byte {
	w := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), len(w)*8)[:n]
}

// View returns the column's memory as items of T, without a copy. It panics if
// T has not the column's width.
func View[T any](c *Column) []T {
	var t T
	if int(unsafe.Sizeof(t)) != c.Bytes {
		panic("format: View of another width")
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(c.Data))), c.Len())
}

// At returns the bits of item i of a column of keys.
func (c *Column) At(i int) uint64 {
	var u uint64
	for b := c.Bytes - 1; b >= 0; b-- {
		u = u<<8 | uint64(c.Data[i*c.Bytes+b])
	}
	return u
}

// Number writes the key with bits u as text does.
func Number(t key.Type, u uint64) string { return string(appendNumber(nil, t, u)) }
