package table

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/internal/key/by"
)

// fromText makes columns of rows of text.
type fromText struct {
	sink
	text  columns.Text
	kinds []by.Kind
	row   int64
	ends  []uint32
	cells [][]byte
	buf   []byte
}

// NewColumns is columns' writer of rows of text for the command.
func NewColumns(w io.Writer, text columns.Text, o columns.Options) (io.WriteCloser, error) {
	f := &fromText{text: text}
	t := &arrowTable{of: Arrow}
	var fields []arrow.Field
	for i, name := range text.Names {
		var typ arrow.DataType = arrow.BinaryTypes.String
		switch text.Kinds[name] {
		case by.I64:
			typ = arrow.PrimitiveTypes.Int64
		case by.U64:
			typ = arrow.PrimitiveTypes.Uint64
		case by.F64:
			typ = arrow.PrimitiveTypes.Float64
		case by.Bool:
			typ = arrow.FixedWidthTypes.Boolean
		}
		fields, t.order = append(fields, arrow.Field{Name: name, Type: typ, Nullable: true}), append(t.order, i)
		f.kinds = append(f.kinds, text.Kinds[name])
	}
	t.schema = arrow.NewSchema(fields, nil)
	err := t.takeShapes("the output")
	if err != nil {
		return nil, err
	}
	all := Options(o).complete()
	f.sink, err = t.newSink(w, all, all.groupBytes())
	return f, err
}

// Write takes whole rows.
func (f *fromText) Write(b []byte) (int, error) {
	f.ends, f.buf = f.text.Format.Split(b, f.ends[:0]), f.buf[:0]
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
	if f.cells, err = f.text.Format.Fields(f.cells[:0], row); err != nil {
		return err
	}
	if len(f.cells) != len(f.kinds) {
		return fmt.Errorf("it has %d fields, and the table %d columns: write as many", len(f.cells), len(f.kinds))
	}
	begin := len(f.buf)
	f.buf = append(f.buf, 0, 0, 0, 0)
	for i, cell := range f.cells {
		if cell == nil {
			f.buf = append(f.buf, 0)
			continue
		}
		f.buf = append(f.buf, 1)
		s := string(cell)
		var word uint64
		switch f.kinds[i] {
		case by.I64:
			var n int64
			n, err = strconv.ParseInt(s, 10, 64)
			word = uint64(n)
		case by.U64:
			word, err = strconv.ParseUint(s, 10, 64)
		case by.F64:
			var v float64
			v, err = strconv.ParseFloat(s, 64)
			word = math.Float64bits(v)
		case by.Bool:
			var v bool
			if v, err = strconv.ParseBool(s); v {
				word = 1
			}
			f.buf = append(f.buf, byte(word))
		default:
			f.buf = append(binary.LittleEndian.AppendUint32(f.buf, uint32(len(cell))), cell...)
			continue
		}
		if err != nil {
			return fmt.Errorf("column %s: %s is no %v", f.text.Names[i], by.Shorten(cell), f.kinds[i])
		}
		if f.kinds[i] != by.Bool {
			f.buf = binary.LittleEndian.AppendUint64(f.buf, word)
		}
	}
	binary.LittleEndian.PutUint32(f.buf[begin:], uint32(len(f.buf)-begin))
	return nil
}

// Close ends the table.
func (f *fromText) Close() error {
	defer f.stop()
	return f.close()
}
