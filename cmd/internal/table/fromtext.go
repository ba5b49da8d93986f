package table

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/internal/key/by"
)

// fromText makes columns of rows of text. They get their types when the first rows come.
type fromText struct {
	sink    // nil before
	w       io.Writer
	o       Options
	text    *columns.Text
	columns []textColumn
	row     int64
	ends    []uint32
	cells   [][]byte
	buf     []byte
}

// textColumn is how values of a column are read, and as what they are written.
type textColumn struct {
	*by.Column
	typ columns.Type
}

// NewColumns is columns' writer of rows of text for the command.
func NewColumns(w io.Writer, text *columns.Text, o columns.Options) io.WriteCloser {
	return &fromText{w: w, text: text, o: Options(o).complete()}
}

// arrowTypes are the types of columns.
var arrowTypes = [...]arrow.DataType{
	columns.String: arrow.BinaryTypes.String, columns.Binary: arrow.BinaryTypes.Binary, columns.Int64: arrow.PrimitiveTypes.Int64,
	columns.Uint64: arrow.PrimitiveTypes.Uint64, columns.Float64: arrow.PrimitiveTypes.Float64, columns.Bool: arrow.FixedWidthTypes.Boolean,
	columns.Date: arrow.FixedWidthTypes.Date32, columns.Micros: &arrow.TimestampType{Unit: arrow.Microsecond}, columns.Nanos: &arrow.TimestampType{Unit: arrow.Nanosecond},
	columns.UTCMicros: arrow.FixedWidthTypes.Timestamp_us, columns.UTCNanos: arrow.FixedWidthTypes.Timestamp_ns,
}

// begin settles the types.
func (f *fromText) begin() (err error) {
	t := &arrowTable{of: Arrow}
	var fields []arrow.Field
	for i, name := range f.text.Names {
		c, typ := f.text.Column(i)
		f.columns = append(f.columns, textColumn{c, typ})
		fields, t.order = append(fields, arrow.Field{Name: name, Type: arrowTypes[typ], Nullable: true}), append(t.order, i)
	}
	t.schema = arrow.NewSchema(fields, nil)
	if err = t.takeShapes("the output"); err == nil {
		f.sink, err = t.newSink(f.w, f.o, f.o.groupBytes())
	}
	return err
}

// Write takes whole rows.
func (f *fromText) Write(b []byte) (int, error) {
	if f.sink == nil {
		if err := f.begin(); err != nil {
			return 0, err
		}
	}
	f.ends, f.buf = f.text.Split(b, f.ends[:0]), f.buf[:0]
	from := uint32(0)
	for _, end := range f.ends {
		f.row++
		if err := f.add(b[from:end]); err != nil {
			return 0, fmt.Errorf("row %d of the output: %w", f.row, err)
		}
		from = end
	}
	_, err := f.sink.Write(f.buf)
	return len(b), err
}

// add appends a row.
func (f *fromText) add(row []byte) (err error) {
	if f.cells, err = f.text.Cells(f.cells[:0], row); err != nil {
		return err
	}
	begin := len(f.buf)
	f.buf = append(f.buf, 0, 0, 0, 0)
	for i, cell := range f.cells {
		if f.buf, err = f.columns[i].append(f.buf, cell); err != nil {
			return fmt.Errorf("column %s: %w", f.text.Names[i], err)
		}
	}
	binary.LittleEndian.PutUint32(f.buf[begin:], uint32(len(f.buf)-begin))
	return nil
}

// append appends a value, nil if it is missing.
func (c textColumn) append(dst, cell []byte) ([]byte, error) {
	switch {
	case cell == nil:
		return append(dst, 0), nil
	case c.typ <= columns.Binary:
		return append(binary.LittleEndian.AppendUint32(append(dst, 1), uint32(len(cell))), cell...), nil
	}
	v, ok := c.Value(cell)
	switch {
	case !ok:
		return dst, fmt.Errorf("%s is no %v", by.Shorten(cell), c.Kind)
	case v.Null:
		return append(dst, 0), nil
	}
	dst = append(dst, 1)
	var word uint64
	switch c.typ {
	case columns.Bool:
		if v.Bool {
			return append(dst, 1), nil
		}
		return append(dst, 0), nil
	case columns.Date:
		return binary.LittleEndian.AppendUint32(dst, uint32(v.Int)), nil
	case columns.Int64:
		word = uint64(v.Int)
	case columns.Uint64:
		word = v.Uint
	case columns.Float64:
		word = math.Float64bits(v.Float)
	default:
		t, err := c.timestamp(v)
		if err != nil {
			return dst, fmt.Errorf("%s %w", by.Shorten(cell), err)
		}
		word = uint64(t)
	}
	return binary.LittleEndian.AppendUint64(dst, word), nil
}

// timestamp is a time in the unit of its type.
func (c textColumn) timestamp(v by.Value) (int64, error) {
	nano := c.typ == columns.Nanos || c.typ == columns.UTCNanos
	switch {
	case v.Zoned && c.typ < columns.UTCMicros:
		return 0, fmt.Errorf("says its zone, and not all times do: add zone=UTC to the word time")
	case nano && !columns.InNanos(v.Time):
		return 0, fmt.Errorf("is beside a time in nanoseconds, and 64 bits do not hold both: make the column text")
	case nano:
		return v.Time.UnixNano(), nil
	case v.Time.Nanosecond()%1000 != 0:
		return 0, fmt.Errorf("is finer than a microsecond: make the column text, or sort without -m")
	}
	return v.Time.UnixMicro(), nil
}

// Close ends the table.
func (f *fromText) Close() error {
	if f.sink == nil {
		if err := f.begin(); err != nil {
			return err
		}
	}
	defer f.stop()
	return f.close()
}
