package table

import (
	"encoding/binary"
	"errors"
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/gpusort/gpusort/cmd/internal/columns"
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
	all, forms := make([]uint32, dict.Len()), d.entries()
	for i := range all {
		form := d.appendValue(nil, dict, i)
		if form[0] == 0 {
			all[i] = none
			continue
		}
		n, ok := d.at[string(form)]
		if !ok {
			n = uint32(len(forms))
			d.at[string(form)] = n
			forms = append(forms, form)
		}
		all[i] = n
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

// arrowRows makes rows of batches.
type arrowRows struct {
	t    *arrowTable
	emit func([]byte) ([]byte, error)
	p    packer
	buf  []byte
	cols []*column
}

// add hands the rows of a batch on.
func (r *arrowRows) add(b arrow.RecordBatch) error {
	rows := int(b.NumRows())
	if r.cols == nil {
		for _, i := range r.t.order {
			r.cols = append(r.cols, &column{field: r.t.shapes[i].field()})
		}
	}
	numbers := make([][]uint32, len(r.cols))
	size := 0
	for k, i := range r.t.order {
		d := b.Column(i).Data()
		size += int(d.SizeInBytes())
		if r.t.dicts[i] != nil {
			numbers[k] = r.t.dicts[i].numbers(d.Dictionary())
		}
	}
	step := max(1, min(8192, batchBytes*rows/(size+8*rows+1)))
	for from := 0; from < rows; from += step {
		to := min(rows, from+step)
		for k, i := range r.t.order {
			if err := r.cols[k].fill(r.t.shapes[i], b.Column(i).Data(), from, to, numbers[k]); err != nil {
				return err
			}
		}
		var err error
		if r.buf, err = r.emit(r.p.pack(r.buf[:0], r.cols, to-from)); err != nil {
			return err
		}
	}
	return nil
}

var errIndex = errors.New("the Arrow file is damaged: a value is not in its dictionary")

// fill adds values [from, to) of d.
func (c *column) fill(s *shape, d arrow.ArrayData, from, to int, numbers []uint32) error {
	whole := d
	dict, _ := d.DataType().(*arrow.DictionaryType)
	for i := from; i < to; i++ {
		if d = whole; dict != nil && s.form != coded {
			if !valid(d, i) {
				c.defs = append(c.defs, 0)
				continue
			}
			at := index(d, i)
			if d = d.Dictionary(); at < 0 || at >= d.Len() {
				return errIndex
			}
			if err := c.fill(s, d, at, at+1, nil); err != nil {
				return err
			}
			continue
		}
		if !valid(d, i) {
			c.defs = append(c.defs, 0)
			continue
		}
		var number uint32
		if s.form == coded {
			at := index(d, i)
			if at < 0 || at >= len(numbers) {
				return errIndex
			}
			if number = numbers[at]; number == none {
				c.defs = append(c.defs, 0)
				continue
			}
		}
		c.defs = append(c.defs, 1)
		switch s.form {
		case coded:
			c.fixed = binary.LittleEndian.AppendUint32(c.fixed, number)
		case fixed:
			c.fixed = append(c.fixed, s.bytesOf(d, i)...)
		case bitmap:
			c.fixed = append(c.fixed, bit(d, i))
		case text32, text64, views:
			c.addText(s.bytesOf(d, i))
		default:
			c.text = s.appendValue(c.text, d, i)
			c.ends = append(c.ends, uint32(len(c.text)))
		}
	}
	return nil
}

// index is number i of a dictionary's entry.
func index(d arrow.ArrayData, i int) int {
	t := d.DataType().(*arrow.DictionaryType).IndexType
	w := t.(arrow.FixedWidthDataType).BitWidth() / 8
	b := d.Buffers()[1].Bytes()[(d.Offset()+i)*w:]
	switch w {
	case 1:
		return int(b[0])
	case 2:
		return int(binary.LittleEndian.Uint16(b))
	case 4:
		return int(binary.LittleEndian.Uint32(b))
	}
	return int(binary.LittleEndian.Uint64(b))
}

// arrowSink writes rows as batches.
type arrowSink struct {
	t *arrowTable
	w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	most  int
	bytes int
	u     unpacker
	cols  []*column
	// changes make values of Arrow of those in the columns; none: they are that.
	changes []change
	build   []*builder
	dicts   []arrow.Array
	rows    int
	size    int
}

// batchRows is the most rows of a batch.
const batchRows = 1 << 16

// newSink implements source.
func (t *arrowTable) newSink(w io.Writer, o Options, groupBytes int) (sink, error) {
	if o.As == Parquet {
		return t.newParquetSink(w, o, groupBytes)
	}
	return t.newArrowSink(w, o, groupBytes)
}

func (t *arrowTable) newArrowSink(w io.Writer, o Options, groupBytes int) (*arrowSink, error) {
	options := []ipc.Option{ipc.WithSchema(t.schema)}
	switch o.Compression {
	case "zstd":
		options = append(options, ipc.WithZstd())
	case "lz4":
		options = append(options, ipc.WithLZ4())
	}
	s := &arrowSink{t: t, most: batchRows, bytes: groupBytes}
	if o.GroupRows > 0 {
		s.most = o.GroupRows
	}
	var err error
	switch {
	case o.As == columns.JSON:
		s.w, err = newJSONWriter(w, t.schema)
	case o.As.Text():
		s.w, err = newCSVWriter(w, o.As, t.schema)
	case o.As == Stream || o.As == None && t.of == Stream:
		s.w = ipc.NewWriter(w, options...)
	default:
		s.w, err = ipc.NewFileWriter(w, options...)
	}
	if err != nil {
		return nil, err
	}
	for _, i := range t.order {
		s.cols = append(s.cols, &column{field: t.shapes[i].field()})
	}
	return s, nil
}

// Write takes whole rows.
func (s *arrowSink) Write(b []byte) (int, error) {
	total := len(b)
	for len(b) > 0 {
		at, n := 0, 0
		for at < len(b) && s.rows+n < s.most && (s.size+at < s.bytes || s.rows+n == 0) {
			at += int(binary.LittleEndian.Uint32(b[at:]))
			n++
		}
		if err := guarded("making a batch", func() error { s.add(b[:at]); return nil }); err != nil {
			return 0, err
		}
		s.rows, s.size = s.rows+n, s.size+at
		if b = b[at:]; len(b) > 0 {
			if err := guarded("writing a batch", s.flush); err != nil {
				return 0, err
			}
		}
	}
	return total, nil
}

// add puts rows in the builders.
func (s *arrowSink) add(b []byte) {
	if s.build == nil {
		for _, i := range s.t.order {
			s.build = append(s.build, newBuilder(s.t.shapes[i]))
		}
	}
	s.u.unpack(b, s.cols)
	for k, c := range s.cols {
		v := 0
		for i := range c.places() {
			switch b := s.build[k]; {
			case c.def > 0 && c.defs[i] == 0:
				b.addNull()
				continue
			case s.changes != nil:
				b.addBytes(s.changes[k](c.value(v)))
			case b.form >= list32 && b.form <= structure:
				b.readValue(c.value(v)[1:])
			default:
				b.addBytes(c.value(v))
			}
			v++
		}
		c.reset()
	}
}

// flush writes a batch.
func (s *arrowSink) flush() error {
	if s.rows == 0 {
		return nil
	}
	if s.dicts == nil {
		s.dicts = make([]arrow.Array, len(s.t.dicts))
		for i, d := range s.t.dicts {
			if d != nil {
				s.dicts[i] = d.array()
			}
		}
	}
	columns := make([]arrow.Array, len(s.cols))
	for k, i := range s.t.order {
		d := s.build[k].finish()
		if s.dicts[i] == nil {
			columns[i] = array.MakeFromData(d)
			continue
		}
		t := s.t.shapes[i].typ.(*arrow.DictionaryType)
		indices := array.MakeFromData(array.NewData(t.IndexType, d.Len(), d.Buffers(), nil, d.NullN(), 0))
		columns[i] = array.NewDictionaryArray(t, indices, s.dicts[i])
	}
	err := s.w.Write(array.NewRecordBatch(s.t.schema, columns, int64(s.rows)))
	s.build, s.rows, s.size = nil, 0, 0
	return err
}

func (s *arrowSink) close() error {
	if err := guarded("writing a batch", s.flush); err != nil {
		return err
	}
	return s.w.Close()
}

func (s *arrowSink) stop() {}
