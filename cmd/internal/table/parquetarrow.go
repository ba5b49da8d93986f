package table

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// change makes the value of an Arrow column of that of a Parquet column.
type change func(value []byte) []byte

func same(v []byte) []byte { return v }

// newArrowSink writes the rows as Arrow, or as text, of which Arrow columns are made first.
func (t *parquetTable) newArrowSink(w io.Writer, o Options, groupBytes int) (sink, error) {
	var fields []arrow.Field
	changes := make([]change, t.schema.NumColumns())
	for i := range changes {
		c := t.schema.Column(i)
		if t.schema.ColumnRoot(i) != c.SchemaNode() || c.MaxRepetitionLevel() > 0 {
			return nil, fmt.Errorf("column %s is nested, and is written as Parquet only: leave it out before, or name the output .parquet", c.Path())
		}
		typ, change, err := arrowOf(c)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w: name the output .parquet", c.Path(), err)
		}
		fields, changes[i] = append(fields, arrow.Field{Name: c.Name(), Type: typ, Nullable: c.MaxDefinitionLevel() > 0}), change
	}
	a := &arrowTable{of: Arrow, schema: arrow.NewSchema(fields, nil), order: t.order}
	if err := a.takeShapes("the output"); err != nil {
		return nil, err
	}
	s, err := a.newArrowSink(w, o, groupBytes)
	if err != nil {
		return nil, err
	}
	for k, i := range t.order {
		s.cols[k].field = t.fields[k]
		s.changes = append(s.changes, changes[i])
	}
	return s, nil
}

// arrowOf is the Arrow type of a column.
func arrowOf(c *schema.Column) (arrow.DataType, change, error) {
	physical := c.PhysicalType()
	switch l := c.LogicalType().(type) {
	case schema.IntLogicalType:
		types := map[int8][2]arrow.DataType{
			8: {arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int8}, 16: {arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int16},
			32: {arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int32}, 64: {arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int64},
		}[int8(l.BitWidth())]
		n := int(l.BitWidth() / 8)
		typ := types[0]
		if l.IsSigned() {
			typ = types[1]
		}
		return typ, func(v []byte) []byte { return v[:n] }, nil
	case schema.Float16LogicalType:
		return arrow.FixedWidthTypes.Float16, same, nil
	case schema.DecimalLogicalType:
		big := physical == parquet.Types.ByteArray || physical == parquet.Types.FixedLenByteArray
		if l.Precision() > 38 {
			return &arrow.Decimal256Type{Precision: l.Precision(), Scale: l.Scale()}, decimal(32, big), nil
		}
		return &arrow.Decimal128Type{Precision: l.Precision(), Scale: l.Scale()}, decimal(16, big), nil
	case schema.DateLogicalType:
		return arrow.FixedWidthTypes.Date32, same, nil
	case schema.TimeLogicalType:
		switch l.TimeUnit() {
		case schema.TimeUnitMillis:
			return arrow.FixedWidthTypes.Time32ms, same, nil
		case schema.TimeUnitMicros:
			return arrow.FixedWidthTypes.Time64us, same, nil
		}
		return arrow.FixedWidthTypes.Time64ns, same, nil
	case schema.TimestampLogicalType:
		t := &arrow.TimestampType{Unit: map[schema.TimeUnitType]arrow.TimeUnit{schema.TimeUnitMillis: arrow.Millisecond, schema.TimeUnitMicros: arrow.Microsecond, schema.TimeUnitNanos: arrow.Nanosecond}[l.TimeUnit()]}
		if l.IsAdjustedToUTC() {
			t.TimeZone = "UTC"
		}
		return t, same, nil
	case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
		return arrow.BinaryTypes.String, same, nil
	case schema.UUIDLogicalType:
		return arrow.BinaryTypes.String, func(v []byte) []byte {
			h := hex.EncodeToString(v)
			return []byte(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:])
		}, nil
	case schema.IntervalLogicalType, schema.GeometryLogicalType, schema.GeographyLogicalType:
		return nil, nil, fmt.Errorf("%v values are written as Parquet only", l)
	}
	switch physical {
	case parquet.Types.Boolean:
		return arrow.FixedWidthTypes.Boolean, same, nil
	case parquet.Types.Int32:
		return arrow.PrimitiveTypes.Int32, same, nil
	case parquet.Types.Int64:
		return arrow.PrimitiveTypes.Int64, same, nil
	case parquet.Types.Int96: // microseconds, as DuckDB and Spark read them: nanoseconds have 585 years only
		return &arrow.TimestampType{Unit: arrow.Microsecond}, func(v []byte) []byte {
			const epoch, day = 2440588, 86_400_000_000
			us := (int64(int32(binary.LittleEndian.Uint32(v[8:])))-epoch)*day + int64(binary.LittleEndian.Uint64(v))/1000
			return binary.LittleEndian.AppendUint64(nil, uint64(us))
		}, nil
	case parquet.Types.Float:
		return arrow.PrimitiveTypes.Float32, same, nil
	case parquet.Types.Double:
		return arrow.PrimitiveTypes.Float64, same, nil
	case parquet.Types.ByteArray:
		return arrow.BinaryTypes.Binary, same, nil
	case parquet.Types.FixedLenByteArray:
		return &arrow.FixedSizeBinaryType{ByteWidth: c.TypeLength()}, same, nil
	}
	return nil, nil, errors.New("its type has no other form")
}

// decimal makes little-endian integers of n bytes of signed integers, the highest byte first
// if big.
func decimal(n int, big bool) change {
	return func(v []byte) []byte {
		out := make([]byte, max(n, len(v)))
		if copy(out, v); big {
			slices.Reverse(out[:len(v)])
		}
		for i := len(v); i < n; i++ {
			out[i] = byte(int8(out[len(v)-1]) >> 7)
		}
		return out[:n]
	}
}
