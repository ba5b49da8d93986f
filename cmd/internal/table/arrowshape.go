package table

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/schema"
)

// form is how the values of an Arrow type lie in its buffers.
type form uint8

const (
	fixed  form = iota
	bitmap      // one bit a value
	text32      // bytes behind offsets of 32 bits
	text64
	views // 16 bytes a value, some of them in other buffers
	list32
	list64
	listN // as many of each
	structure
	nothing // nulls alone
	coded   // numbers of a dictionary's entries
)

// shape is a type's form and those inside it.
type shape struct {
	form
	typ   arrow.DataType
	width int // of fixed; of listN, values in each
	kids  []*shape
}

// shapeOf is the shape of a type, or an error if its values cannot be carried along.
func shapeOf(t arrow.DataType) (*shape, error) {
	s := &shape{typ: t}
	var kids []arrow.DataType
	switch t := t.(type) {
	case arrow.ExtensionType:
		inner, err := shapeOf(t.StorageType())
		if err != nil {
			return nil, err
		}
		if inner.form == coded {
			return nil, fmt.Errorf("dictionaries within columns (%v) cannot be carried along: write them without a dictionary first", t)
		}
		*s = *inner
		s.typ = t
		return s, nil
	case *arrow.DictionaryType:
		s.form = coded
		kids = []arrow.DataType{t.ValueType}
	case *arrow.BooleanType:
		s.form = bitmap
	case *arrow.NullType:
		s.form = nothing
	case *arrow.BinaryType, *arrow.StringType:
		s.form = text32
	case *arrow.LargeBinaryType, *arrow.LargeStringType:
		s.form = text64
	case *arrow.BinaryViewType, *arrow.StringViewType:
		s.form = views
	case *arrow.ListType, *arrow.MapType:
		s.form = list32
		kids = []arrow.DataType{t.(arrow.ListLikeType).Elem()}
	case *arrow.LargeListType:
		s.form = list64
		kids = []arrow.DataType{t.Elem()}
	case *arrow.FixedSizeListType:
		s.form, s.width = listN, int(t.Len())
		kids = []arrow.DataType{t.Elem()}
	case *arrow.StructType:
		s.form = structure
		for _, f := range t.Fields() {
			kids = append(kids, f.Type)
		}
	case arrow.FixedWidthDataType:
		s.width = t.BitWidth() / 8
	}
	if s.form == fixed && s.width == 0 {
		return nil, fmt.Errorf("columns of type %v cannot be carried along: write them as another type first", t)
	}
	for _, k := range kids {
		kid, err := shapeOf(k)
		if err != nil {
			return nil, err
		}
		if kid.form == coded {
			return nil, fmt.Errorf("dictionaries within columns (%v) cannot be carried along: write them without a dictionary first", t)
		}
		s.kids = append(s.kids, kid)
	}
	return s, nil
}

// field is how values of the shape lie in rows: what has others inside is one text.
func (s *shape) field() field {
	switch s.form {
	case fixed:
		return field{width: s.width, def: 1}
	case bitmap:
		return field{width: 1, def: 1}
	case coded:
		return field{width: 4, def: 1}
	}
	return field{def: 1}
}

// valid reports whether value i of d is there.
func valid(d arrow.ArrayData, i int) bool {
	b := d.Buffers()
	return d.DataType().ID() != arrow.NULL && (len(b) == 0 || b[0] == nil || b[0].Len() == 0 || bitutil.BitIsSet(b[0].Bytes(), d.Offset()+i))
}

// bytesOf is value i of d if it has no others inside; of a bitmap, use bit.
func (s *shape) bytesOf(d arrow.ArrayData, i int) []byte {
	i += d.Offset()
	b := d.Buffers()
	switch s.form {
	case fixed:
		return b[1].Bytes()[i*s.width : (i+1)*s.width]
	case text32, text64:
		from, to := s.range32or64(d, i-d.Offset())
		return b[2].Bytes()[from:to]
	case views:
		v := b[1].Bytes()[i*16 : i*16+16]
		n := int(binary.LittleEndian.Uint32(v))
		if n <= 12 {
			return v[4 : 4+n]
		}
		at := int(binary.LittleEndian.Uint32(v[12:]))
		return b[2+binary.LittleEndian.Uint32(v[8:])].Bytes()[at : at+n]
	}
	return nil
}

// range32or64 is where value i of d begins and ends.
func (s *shape) range32or64(d arrow.ArrayData, i int) (from, to int) {
	if s.form == listN {
		return (d.Offset() + i) * s.width, (d.Offset() + i + 1) * s.width
	}
	b := d.Buffers()[1].Bytes()
	if i += d.Offset(); s.form == text32 || s.form == list32 {
		return int(binary.LittleEndian.Uint32(b[4*i:])), int(binary.LittleEndian.Uint32(b[4*i+4:]))
	}
	return int(binary.LittleEndian.Uint64(b[8*i:])), int(binary.LittleEndian.Uint64(b[8*i+8:]))
}

// appendValue appends value i of d: a byte that says whether it is there, and the value: its
// bytes, behind their number if that may differ; or the number of values inside it, and those.
func (s *shape) appendValue(dst []byte, d arrow.ArrayData, i int) []byte {
	if !valid(d, i) {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	switch s.form {
	case bitmap:
		return append(dst, bit(d, i))
	case fixed:
		return append(dst, s.bytesOf(d, i)...)
	case text32, text64, views:
		b := s.bytesOf(d, i)
		return append(binary.LittleEndian.AppendUint32(dst, uint32(len(b))), b...)
	case structure:
		for k, kid := range s.kids {
			dst = kid.appendValue(dst, d.Children()[k], d.Offset()+i)
		}
		return dst
	}
	from, to := s.range32or64(d, i)
	if from < 0 || to < from || to > d.Children()[0].Len() {
		panic(fmt.Sprintf("a list has values %d to %d of %d", from, to, d.Children()[0].Len()))
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(to-from))
	for ; from < to; from++ {
		dst = s.kids[0].appendValue(dst, d.Children()[0], from)
	}
	return dst
}

func bit(d arrow.ArrayData, i int) byte {
	if bitutil.BitIsSet(d.Buffers()[1].Bytes(), d.Offset()+i) {
		return 1
	}
	return 0
}

// arrowKind is what the values of a type are as keys.
func arrowKind(t arrow.DataType) (kind, error) {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return arrowKind(t.StorageType())
	case *arrow.DictionaryType:
		return arrowKind(t.ValueType)
	}
	switch t.ID() {
	case arrow.BOOL:
		return kind{Kind: schema.Bool, typ: key.U8}, nil
	case arrow.INT8:
		return number(key.I8), nil
	case arrow.INT16:
		return number(key.I16), nil
	case arrow.INT32, arrow.DATE32, arrow.TIME32, arrow.DECIMAL32, arrow.INTERVAL_MONTHS:
		return number(key.I32), nil
	case arrow.INT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION, arrow.DECIMAL64:
		return number(key.I64), nil
	case arrow.UINT8:
		return number(key.U8), nil
	case arrow.UINT16:
		return number(key.U16), nil
	case arrow.UINT32:
		return number(key.U32), nil
	case arrow.UINT64:
		return number(key.U64), nil
	case arrow.FLOAT16:
		return kind{Kind: schema.Float16, typ: key.U8}, nil
	case arrow.FLOAT32:
		return number(key.F32), nil
	case arrow.FLOAT64:
		return number(key.F64), nil
	case arrow.DECIMAL128, arrow.DECIMAL256:
		return kind{other: littleEnd}, nil
	case arrow.FIXED_SIZE_BINARY:
		return kind{other: octets}, nil
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return text, nil
	}
	return kind{}, fmt.Errorf("%v values have no order", t)
}
