package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// toParquet is rows of Arrow on their way to a Parquet file.
type toParquet struct {
	sink
	u       unpacker
	p       packer
	from    []*column
	to      []*column
	changes []change
	buf     []byte
}

// newParquetSink writes the rows as Parquet.
func (t *arrowTable) newParquetSink(w io.Writer, o Options, groupBytes int) (sink, error) {
	nodes := make(schema.FieldList, len(t.shapes))
	changes := make([]change, len(nodes))
	for i, f := range t.schema.Fields() {
		var err error
		if nodes[i], changes[i], err = parquetOf(f, t.dicts[i]); err != nil {
			return nil, fmt.Errorf("column %s: %w: name the output .arrow", f.Name, err)
		}
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return nil, err
	}
	p := &parquetTable{schema: schema.NewSchema(root), order: t.order}
	s := &toParquet{}
	for k, i := range t.order {
		c := p.schema.Column(i)
		p.fields, p.paths = append(p.fields, parquetField(c)), append(p.paths, c.Path())
		if k < len(t.by) {
			key := t.by[k]
			p.sorted = append(p.sorted, parquet.SortingColumn{ColumnIdx: int32(i), Descending: key.desc, NullsFirst: key.null == 0})
		}
		s.from, s.to = append(s.from, &column{field: t.shapes[i].field()}), append(s.to, &column{field: p.fields[k]})
		s.changes = append(s.changes, changes[i])
	}
	o.As = None
	s.sink, err = p.newSink(w, o, groupBytes)
	return s, err
}

var errMissing = errors.New("a value is missing in a column that the schema says has all: write it as nullable first")

// Write takes whole rows.
func (s *toParquet) Write(b []byte) (int, error) {
	rows := s.u.unpack(b, s.from)
	for k, from := range s.from {
		to, v := s.to[k], 0
		for _, d := range from.defs {
			if to.def > 0 {
				to.defs = append(to.defs, d)
			} else if d == 0 {
				return 0, fmt.Errorf("column %d: %w", k+1, errMissing)
			}
			if d == 0 {
				continue
			}
			if value := s.changes[k](from.value(v)); to.width > 0 {
				to.fixed = append(to.fixed, value...)
			} else {
				to.addText(value)
			}
			v++
		}
		from.reset()
	}
	s.buf = s.p.pack(s.buf[:0], s.to, rows)
	_, err := s.sink.Write(s.buf)
	return len(b), err
}

// parquetOf is the Parquet column of an Arrow column.
func parquetOf(f arrow.Field, d *dictionary) (schema.Node, change, error) {
	typ := f.Type
	entry := same
	if t, ok := typ.(*arrow.DictionaryType); ok {
		typ = t.ValueType
		entry = func(v []byte) []byte { return d.value(binary.LittleEndian.Uint32(v)) }
	}
	logical, physical, width, change, err := parquetTypeOf(typ)
	if err != nil {
		return nil, nil, err
	}
	rep := parquet.Repetitions.Optional
	if !f.Nullable {
		rep = parquet.Repetitions.Required
	}
	node, err := schema.NewPrimitiveNodeLogical(f.Name, rep, logical, physical, width, -1)
	return node, func(v []byte) []byte { return change(entry(v)) }, err
}

// parquetTypeOf is the type of a Parquet column, with its width if that is not the type's.
func parquetTypeOf(typ arrow.DataType) (schema.LogicalType, parquet.Type, int, change, error) {
	int32s, int64s := parquet.Types.Int32, parquet.Types.Int64
	switch t := typ.(type) {
	case arrow.DecimalType:
		n := t.BitWidth() / 8
		if t.GetScale() < 0 || t.GetScale() > t.GetPrecision() {
			return nil, 0, 0, nil, fmt.Errorf("decimals of precision %d and scale %d are written as Arrow or text only", t.GetPrecision(), t.GetScale())
		}
		return schema.NewDecimalLogicalType(t.GetPrecision(), t.GetScale()), parquet.Types.FixedLenByteArray, n, reversed, nil
	case *arrow.TimestampType:
		unit, by := unitOf(t.Unit)
		return schema.NewTimestampLogicalType(t.TimeZone != "", unit), int64s, -1, times(by), nil
	case *arrow.Time32Type:
		_, by := unitOf(t.Unit)
		return schema.NewTimeLogicalType(false, schema.TimeUnitMillis), int32s, -1, func(v []byte) []byte {
			return binary.LittleEndian.AppendUint32(nil, binary.LittleEndian.Uint32(v)*uint32(by))
		}, nil
	case *arrow.Time64Type:
		unit, _ := unitOf(t.Unit)
		return schema.NewTimeLogicalType(false, unit), int64s, -1, same, nil
	case *arrow.FixedSizeBinaryType:
		return schema.NoLogicalType{}, parquet.Types.FixedLenByteArray, t.ByteWidth, same, nil
	}
	switch id := typ.ID(); id {
	case arrow.BOOL:
		return schema.NoLogicalType{}, parquet.Types.Boolean, -1, same, nil
	case arrow.INT8, arrow.INT16:
		return schema.NewIntLogicalType(int8(typ.(arrow.FixedWidthDataType).BitWidth()), true), int32s, -1, decimal(4, false), nil
	case arrow.UINT8, arrow.UINT16:
		return schema.NewIntLogicalType(int8(typ.(arrow.FixedWidthDataType).BitWidth()), false), int32s, -1, func(v []byte) []byte { return append(slices.Clone(v), make([]byte, 4-len(v))...) }, nil
	case arrow.INT32:
		return schema.NoLogicalType{}, int32s, -1, same, nil
	case arrow.UINT32:
		return schema.NewIntLogicalType(32, false), int32s, -1, same, nil
	case arrow.INT64:
		return schema.NoLogicalType{}, int64s, -1, same, nil
	case arrow.UINT64:
		return schema.NewIntLogicalType(64, false), int64s, -1, same, nil
	case arrow.FLOAT16:
		return schema.Float16LogicalType{}, parquet.Types.FixedLenByteArray, 2, same, nil
	case arrow.FLOAT32:
		return schema.NoLogicalType{}, parquet.Types.Float, -1, same, nil
	case arrow.FLOAT64:
		return schema.NoLogicalType{}, parquet.Types.Double, -1, same, nil
	case arrow.DATE32:
		return schema.DateLogicalType{}, int32s, -1, same, nil
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return schema.StringLogicalType{}, parquet.Types.ByteArray, -1, same, nil
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return schema.NoLogicalType{}, parquet.Types.ByteArray, -1, same, nil
	}
	return nil, 0, 0, nil, fmt.Errorf("%v values are written as Arrow or text only", typ)
}

// unitOf is the unit of times in Parquet, and how many of it one of Arrow's is.
func unitOf(u arrow.TimeUnit) (schema.TimeUnitType, int64) {
	switch u {
	case arrow.Second:
		return schema.TimeUnitMillis, 1000
	case arrow.Millisecond:
		return schema.TimeUnitMillis, 1
	case arrow.Microsecond:
		return schema.TimeUnitMicros, 1
	}
	return schema.TimeUnitNanos, 1
}

func times(n int64) change {
	if n == 1 {
		return same
	}
	return func(v []byte) []byte {
		return binary.LittleEndian.AppendUint64(nil, binary.LittleEndian.Uint64(v)*uint64(n))
	}
}

// reversed has the highest byte first.
func reversed(v []byte) []byte {
	v = slices.Clone(v)
	slices.Reverse(v)
	return v
}
