package table

import (
	"encoding/binary"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/gpusort/gpusort/cmd/internal/columns"
)

// arrowSink writes rows as batches.
type arrowSink struct {
	t   *arrowTable
	out io.Writer
	o   Options
	w   interface { // nil until there is a batch
		Write(arrow.RecordBatch) error
		Close() error
	}
	schema *arrow.Schema
	most   int
	bytes  int
	u      unpacker
	cols   []*column
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
	s := &arrowSink{t: t, out: w, o: o, most: batchRows, bytes: groupBytes}
	if o.GroupRows > 0 {
		s.most = o.GroupRows
	}
	for _, i := range t.order {
		s.cols = append(s.cols, &column{field: t.shapes[i].field()})
	}
	return s, nil
}

// begin writes what is before batches. All rows are read before the first is written, so that all
// entries of dictionaries are there.
func (s *arrowSink) begin() (err error) {
	fields, meta := s.t.schema.Fields(), s.t.schema.Metadata()
	s.dicts = make([]arrow.Array, len(fields))
	for i, d := range s.t.dicts {
		if d != nil {
			s.dicts[i] = d.array()
			t := *fields[i].Type.(*arrow.DictionaryType)
			t.IndexType = indexFor(t.IndexType, s.dicts[i].Len())
			fields[i].Type = &t
		}
	}
	s.schema = arrow.NewSchemaWithEndian(fields, &meta, s.t.schema.Endianness())
	options := []ipc.Option{ipc.WithSchema(s.schema)}
	switch s.o.Compression {
	case "zstd":
		options = append(options, ipc.WithZstd())
	case "lz4":
		options = append(options, ipc.WithLZ4())
	}
	switch as := s.o.As; {
	case as == columns.JSON:
		s.w, err = newJSONWriter(s.out, s.schema)
	case as.Text():
		s.w, err = newCSVWriter(s.out, as, s.schema)
	case as == Stream || as == None && s.t.of == Stream:
		s.w = ipc.NewWriter(s.out, options...)
	default:
		s.w, err = ipc.NewFileWriter(s.out, options...)
	}
	return err
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
		if err := writing("making a batch", func() error { s.add(b[:at]); return nil }); err != nil {
			return 0, err
		}
		s.rows, s.size = s.rows+n, s.size+at
		if b = b[at:]; len(b) > 0 {
			if err := writing("writing a batch", s.flush); err != nil {
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
	if s.w == nil {
		if err := s.begin(); err != nil {
			return err
		}
	}
	columns := make([]arrow.Array, len(s.cols))
	for k, i := range s.t.order {
		d := s.build[k].finish()
		if s.dicts[i] == nil {
			columns[i] = array.MakeFromData(d)
			continue
		}
		t := s.schema.Field(i).Type.(*arrow.DictionaryType)
		buffers := []*memory.Buffer{d.Buffers()[0], memory.NewBufferBytes(indices(s.build[k].data, indexBytes(t.IndexType)))}
		numbers := array.MakeFromData(array.NewData(t.IndexType, d.Len(), buffers, nil, d.NullN(), 0))
		columns[i] = array.NewDictionaryArray(t, numbers, s.dicts[i])
	}
	err := s.w.Write(array.NewRecordBatch(s.schema, columns, int64(s.rows)))
	s.build, s.rows, s.size = nil, 0, 0
	return err
}

func (s *arrowSink) close() error {
	err := writing("writing a batch", s.flush)
	if err == nil && s.w == nil {
		err = s.begin()
	}
	if err != nil {
		return err
	}
	return s.w.Close()
}

func (s *arrowSink) stop() {}
