package table

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// dictionary is the entries of a column's dictionaries, of all batches and files. One
// goroutine adds entries while others read those that are there.
type dictionary struct {
	*shape
	at    map[string]uint32
	forms atomic.Pointer[[][]byte] // as appendValue writes them; what it points to does not change
}

// entries are those that are there.
func (d *dictionary) entries() [][]byte {
	if p := d.forms.Load(); p != nil {
		return *p
	}
	return nil
}

// value is an entry as keys have it.
func (d *dictionary) value(i uint32) []byte {
	form := d.entries()[i]
	if d.field().width == 0 {
		return form[1+4:]
	}
	return form[1:]
}

// numbers are those of the entries of one dictionary; of a missing entry it is none.
func (d *dictionary) numbers(dict arrow.ArrayData) []uint32 {
	forms := d.entries()
	var all []uint32 // grows, since a damaged dictionary claims any length
	var form []byte
	for i := range dict.Len() {
		form = d.appendValue(form[:0], dict, i)
		if form[0] == 0 {
			all = append(all, none)
			continue
		}
		n, ok := d.at[string(form)]
		if !ok {
			n = uint32(len(forms))
			entry := string(form)
			d.at[entry] = n
			forms = append(forms, unsafe.Slice(unsafe.StringData(entry), len(entry)))
		}
		all = append(all, n)
	}
	d.forms.Store(&forms)
	return all
}

// none is the number of no entry.
const none = 1<<32 - 1

// array is a dictionary of all entries.
func (d *dictionary) array() arrow.Array {
	b := newBuilder(d.shape)
	for _, f := range d.entries() {
		b.read(f)
	}
	return array.MakeFromData(b.finish())
}

// numbering keeps the numbers of a column's last dictionary, which batches share.
type numbering struct {
	of  arrow.ArrayData
	all []uint32
}

// numbers are those of the entries of dict.
func (n *numbering) numbers(d *dictionary, dict arrow.ArrayData) []uint32 {
	if n.of != dict {
		n.of, n.all = dict, d.numbers(dict)
	}
	return n.all
}

// index is number i of a dictionary's entry, and negative if it is none.
func index(d arrow.ArrayData, i int) int {
	t := d.DataType().(*arrow.DictionaryType).IndexType
	w := indexBytes(t)
	b := d.Buffers()[1].Bytes()[(d.Offset()+i)*w:]
	switch t.ID() {
	case arrow.INT8:
		return int(int8(b[0]))
	case arrow.UINT8:
		return int(b[0])
	case arrow.INT16:
		return int(int16(binary.LittleEndian.Uint16(b)))
	case arrow.UINT16:
		return int(binary.LittleEndian.Uint16(b))
	case arrow.INT32:
		return int(int32(binary.LittleEndian.Uint32(b)))
	case arrow.UINT32:
		return int(binary.LittleEndian.Uint32(b))
	}
	return int(binary.LittleEndian.Uint64(b))
}

func indexBytes(t arrow.DataType) int { return t.(arrow.FixedWidthDataType).BitWidth() / 8 }

// wider is the type of indices behind each.
var wider = map[arrow.Type]arrow.DataType{
	arrow.INT8: arrow.PrimitiveTypes.Int16, arrow.INT16: arrow.PrimitiveTypes.Int32, arrow.INT32: arrow.PrimitiveTypes.Int64,
	arrow.UINT8: arrow.PrimitiveTypes.Uint16, arrow.UINT16: arrow.PrimitiveTypes.Uint32,
}

// indexFor is t, or the first wider type that numbers so many entries.
func indexFor(t arrow.DataType, entries int) arrow.DataType {
	for wider[t.ID()] != nil {
		bits := 8 * indexBytes(t)
		if arrow.IsSignedInteger(t.ID()) {
			bits--
		}
		if uint64(entries) <= 1<<bits {
			break
		}
		t = wider[t.ID()]
	}
	return t
}

// indices has numbers of 4 bytes in so many bytes each.
func indices(numbers []byte, width int) []byte {
	if width == 4 {
		return numbers
	}
	n := len(numbers) / 4
	out := make([]byte, n*width)
	for i := range n {
		copy(out[i*width:(i+1)*width], numbers[4*i:4*i+4])
	}
	return out
}
