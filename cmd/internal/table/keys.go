package table

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/key/schema"
)

// kind says what the values of a column are, if it can be a key.
type kind struct {
	schema.Kind
	typ   key.Type // of schema.Number
	other otherKind
}

// otherKind is a kind that package schema has not.
type otherKind uint8

const (
	ofSchema   otherKind = iota
	bigEndian            // signed integers of one width, the highest byte first
	littleEnd            // signed integers of one width, the lowest byte first
	anyInteger           // signed integers of any width, the highest byte first
	octets               // bytes of one width
	int96                // nanoseconds of a day, 8 bytes, and the Julian day
	reference            // a number of a dictionary's entry
)

func number(t key.Type) kind { return kind{typ: t} }

var text = kind{Kind: schema.Bytes, typ: key.U8}

// fieldKey makes the normalised key of a field.
type fieldKey struct {
	field
	kind
	col   schema.Column
	entry func(i uint32) []byte // of reference: entries, whose kind is that of the key
	null  byte                  // the key of a missing value; others begin with mark
	mark  byte
	desc  bool
	last  bool // no other key follows
}

// newKey makes the key of a field as k says.
func newKey(f field, k kind, by by.Key) *fieldKey {
	r := &fieldKey{field: f, kind: k, desc: by.Desc, mark: 1}
	if !by.NullsFirst {
		r.null, r.mark = 1, 0
	}
	r.col = by.Column(k.Kind, k.typ)
	r.col.Nullable = false
	return r
}

// append appends the key of a value.
func (k *fieldKey) append(dst, value []byte) []byte {
	dst = append(dst, k.mark)
	if k.entry != nil {
		value = k.entry(binary.LittleEndian.Uint32(value))
	}
	from := len(dst)
	switch k.other {
	case ofSchema:
		if k.col.IsText() {
			return k.col.Append(dst, unsafe.Pointer(&value), k.last)
		}
		// The value need not be aligned.
		var word [2]uint64
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&word)), len(word)*8), value)
		return k.col.Append(dst, unsafe.Pointer(&word), k.last)
	case bigEndian:
		dst = append(dst, value...)
		dst[from] ^= 0x80
	case littleEnd:
		for i := len(value) - 1; i >= 0; i-- {
			dst = append(dst, value[i])
		}
		dst[from] ^= 0x80
	case anyInteger:
		dst = appendInteger(dst, value)
	case octets:
		dst = append(dst, value...)
	case int96:
		dst = binary.BigEndian.AppendUint32(dst, binary.LittleEndian.Uint32(value[8:])^1<<31)
		dst = binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(value)^1<<63)
	}
	if k.desc {
		for i := range dst[from:] {
			dst[from+i] ^= 0xff
		}
	}
	return dst
}

// appendInteger appends the key of a signed integer of any length, highest byte first: its
// sign and length, and its bytes without those that say nothing.
func appendInteger(dst, value []byte) []byte {
	var sign byte
	if len(value) > 0 {
		sign = byte(int8(value[0]) >> 7)
	}
	for len(value) > 0 && value[0] == sign && (len(value) == 1 || (value[1]^sign)&0x80 == 0) {
		value = value[1:]
	}
	// Longer numbers are further from zero.
	n := uint64(len(value))
	length := binary.BigEndian.AppendUint64(nil, n)
	width := byte((bits.Len64(n) + 7) / 8)
	if sign == 0 {
		dst = append(append(dst, 0x80+width), length[8-width:]...)
	} else {
		dst = append(dst, 0x7f-width)
		for _, b := range length[8-width:] {
			dst = append(dst, ^b)
		}
	}
	return append(dst, value...)
}
