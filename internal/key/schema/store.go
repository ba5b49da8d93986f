package schema

import (
	"encoding/binary"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// Bulk reports whether Store makes the keys of the column.
func (c Column) Bulk() bool { return c.Kind <= Octets && !c.Nullable }

// Store writes the key of the i-th of n values, which lie at values, to dst[i·stride:]. It
// is what Append appends.
func (c Column) Store(dst []byte, stride int, values unsafe.Pointer, n int) {
	switch {
	case c.Kind == Wide:
		for i, w := range unsafe.Slice((*[2]uint64)(values), n) {
			d := dst[i*stride:]
			binary.BigEndian.PutUint64(d, w[0])
			binary.BigEndian.PutUint64(d[8:], w[1])
			c.complemented(d[:16], 0)
		}
	case c.Kind == Octets:
		for i, b := range unsafe.Slice((*[16]byte)(values), n) {
			c.complemented(dst[i*stride:][:copy(dst[i*stride:], b[:])], 0)
		}
	case c.Kind == Float16 || c.Kind == BFloat16:
		for i, u := range unsafe.Slice((*uint16)(values), n) {
			binary.BigEndian.PutUint16(dst[i*stride:], c.half(u))
		}
	case c.valueWidth() == 1:
		storeAll(c, dst, stride, unsafe.Slice((*uint8)(values), n), func(d []byte, u uint8) { d[0] = u })
	case c.valueWidth() == 2:
		storeAll(c, dst, stride, unsafe.Slice((*uint16)(values), n), binary.BigEndian.PutUint16)
	case c.valueWidth() == 4:
		storeAll(c, dst, stride, unsafe.Slice((*uint32)(values), n), binary.BigEndian.PutUint32)
	default:
		storeAll(c, dst, stride, unsafe.Slice((*uint64)(values), n), binary.BigEndian.PutUint64)
	}
}

func storeAll[U key.Word](c Column, dst []byte, stride int, values []U, put func([]byte, U)) {
	m := key.MapOf[U](key.CodecOf(c.Type, c.Order))
	for i, u := range values {
		put(dst[i*stride:], m.Of(u))
	}
}
