package table

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/file"
)

// batchBytes is about how many bytes of rows are made at a time, and mostRows the most rows.
const (
	batchBytes = 256 << 10
	mostRows   = 8192
)

// rowGroup is one of a file.
type rowGroup struct {
	file  *parquetFile
	index int
}

// with calls f with the open row group.
func (g rowGroup) with(f func(*file.RowGroupReader) error) error {
	err := reading(inParquet, func() error {
		return g.file.with(g.index, true, func(r *file.Reader) error { return f(r.RowGroup(g.index)) })
	})
	if err != nil {
		return fmt.Errorf("%s, row group %d: %w", g.file.name, g.index+1, err)
	}
	return nil
}

// piece reads rows of a group: those of the given numbers, which are in order; nil: all.
func (t *parquetTable) piece(g rowGroup, wanted []int) piece {
	return func(emit func([]byte) ([]byte, error)) error {
		return g.with(func(r *file.RowGroupReader) error { return t.readGroup(r, len(t.order), wanted, emit) })
	}
}

// columnsOf opens the first fields of a row group, and says how many rows of them to read
// at a time. done closes them.
func (t *parquetTable) columnsOf(g *file.RowGroupReader, fields int) (chunks []*chunk, columns []*column, step int, done func(), err error) {
	done = func() {
		for _, c := range chunks {
			c.r.Close()
		}
	}
	rows := int(g.NumRows())
	size := 8*rows + 1
	for i, at := range t.order[:fields] {
		m, err := g.MetaData().ColumnChunk(at)
		if err != nil {
			return nil, nil, 0, done, err
		}
		size += int(m.TotalUncompressedSize())
		r, err := g.Column(at)
		if err != nil {
			return nil, nil, 0, done, err
		}
		c := &chunk{column: column{field: t.fields[i]}, r: r}
		chunks, columns = append(chunks, c), append(columns, &c.column)
	}
	return chunks, columns, max(1, min(mostRows, batchBytes*rows/size)), done, nil
}

// ofColumn is err with the name of the field's column.
func (t *parquetTable) ofColumn(field int, err error) error {
	return fmt.Errorf("column %s: %w", t.paths[field], err)
}

// readGroup is piece, of the first fields only.
func (t *parquetTable) readGroup(g *file.RowGroupReader, fields int, wanted []int, emit func([]byte) ([]byte, error)) error {
	chunks, columns, step, done, err := t.columnsOf(g, fields)
	defer done()
	if err != nil {
		return err
	}
	rows := int(g.NumRows())
	if len(wanted) > 0 {
		rows = wanted[len(wanted)-1] + 1
	}
	var p packer
	var buf []byte
	var ends []uint32
	for at := 0; at < rows; {
		from, n := at, min(step, rows-at)
		if wanted != nil {
			from, n = stretch(wanted, n)
		}
		for i, c := range chunks {
			err := c.skip(from - at)
			if err == nil {
				err = c.fill(n)
			}
			if err != nil {
				return t.ofColumn(i, err)
			}
		}
		at = from + n
		begin := len(buf)
		buf = p.pack(buf, columns, n)
		if wanted != nil {
			ends = format{}.Split(buf[begin:], ends[:0])
			var some []byte
			some, wanted = only(buf[begin:], ends, from, wanted)
			if buf = buf[:begin+len(some)]; len(buf) < batchBytes && at < rows {
				continue
			}
		}
		if buf, err = emit(buf); err != nil {
			return err
		}
	}
	return nil
}

// near is how many rows that are not wanted are read between two that are. To pass over rows
// costs as much as to read about 20 of plain numbers, or about 100 of ten columns with nulls.
const near = 32

// stretch is where the next wanted rows that lie close together begin, and how many rows
// they span, at most so many.
func stretch(wanted []int, most int) (from, n int) {
	from = wanted[0]
	last := from
	for _, row := range wanted[1:] {
		if row-last > near || row-from >= most {
			break
		}
		last = row
	}
	return from, last - from + 1
}

// only moves the wanted ones of packed rows, the first of which has the number at, to the
// front, and returns them and the numbers that are left. ends is where the rows end.
func only(rows []byte, ends []uint32, at int, wanted []int) (some []byte, left []int) {
	to, from := 0, uint32(0)
	for i, end := range ends {
		if len(wanted) > 0 && at+i == wanted[0] {
			to += copy(rows[to:], rows[from:end])
			wanted = wanted[1:]
		}
		from = end
	}
	return rows[:to], wanted
}
