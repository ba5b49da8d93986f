package table

import (
	"bytes"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// group is a row group on its way out.
type group struct {
	rows    [][]byte               // blocks of whole rows
	encoded bytes.Buffer           // the row group behind the magic bytes
	meta    *metadata.FileMetaData // of it alone
	err     error
	done    chan struct{}
}

// encode makes the row group. It gives the blocks to free as it goes.
func (t *parquetTable) encode(g *group, props *parquet.WriterProperties, free func([]byte)) error {
	w, err := file.NewParquetWriterWithError(&g.encoded, t.schema.Root(), file.WithWriterProps(props))
	if err != nil {
		return err
	}
	rg, err := w.AppendBufferedRowGroupChecked()
	if err != nil {
		return err
	}
	columns := make([]*column, len(t.order))
	for i := range columns {
		columns[i] = &column{field: t.fields[i]}
	}
	var u unpacker
	var s slicer
	for i, b := range g.rows {
		u.unpack(b, columns)
		free(b)
		g.rows[i] = nil
		for i, c := range columns {
			cw, err := rg.Column(t.order[i])
			if err != nil {
				return err
			}
			if err := s.write(cw, c); err != nil {
				return err
			}
			c.reset()
		}
	}
	if err := rg.Close(); err != nil {
		return err
	}
	g.meta, err = w.FileMetadata()
	return err
}

// slicer writes columns. It keeps the slices of values that have pointers.
type slicer struct {
	texts  []parquet.ByteArray
	fixeds []parquet.FixedLenByteArray
}

func (s *slicer) write(w file.ColumnChunkWriter, c *column) (err error) {
	defs, reps := c.defs, c.reps
	if c.def == 0 {
		defs = nil
	}
	if c.rep == 0 {
		reps = nil
	}
	switch w := w.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(view[bool](c.fixed), defs, reps)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(view[int32](c.fixed), defs, reps)
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(view[int64](c.fixed), defs, reps)
	case *file.Int96ColumnChunkWriter:
		_, err = w.WriteBatch(view[parquet.Int96](c.fixed), defs, reps)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(view[float32](c.fixed), defs, reps)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(view[float64](c.fixed), defs, reps)
	case *file.ByteArrayColumnChunkWriter:
		s.texts = grow2(s.texts, c.values())
		for i := range s.texts {
			s.texts[i] = c.value(i)
		}
		_, err = w.WriteBatch(s.texts, defs, reps)
	case *file.FixedLenByteArrayColumnChunkWriter:
		s.fixeds = grow2(s.fixeds, c.values())
		for i := range s.fixeds {
			s.fixeds[i] = c.value(i)
		}
		_, err = w.WriteBatch(s.fixeds, defs, reps)
	}
	return err
}

// move has a row group begin at a place of the file, as the number-th.
func (g *group) move(at int64, number int) {
	rg := g.meta.RowGroups[0]
	by := at - int64(len(magic))
	for _, c := range rg.Columns {
		c.FileOffset += by
		m := c.MetaData
		m.DataPageOffset += by
		for _, p := range []*int64{m.DictionaryPageOffset, m.IndexPageOffset} {
			if p != nil {
				*p += by
			}
		}
	}
	if rg.FileOffset != nil {
		*rg.FileOffset += by
	}
	rg.Ordinal = nil
	if n := int16(number); int(n) == number {
		rg.Ordinal = &n
	}
}

const magic = "PAR1"
