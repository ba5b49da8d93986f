package table

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// streamKeys hands the batches of a stream, and the keys of their rows, on.
func (t *Table) streamKeys(key func([]byte), batch func(arrow.RecordBatch) error) error {
	s, ok := t.source.(*arrowTable)
	if !ok || s.stream == nil {
		return errors.New("this is no stream")
	}
	part := *s
	part.order = s.order[:len(s.by)]
	encode := format{s.by}.Encoder()
	var k []byte
	r := &arrowRows{t: &part, emit: func(b []byte) (_ []byte, err error) {
		for at := 0; at < len(b); {
			n := int(binary.LittleEndian.Uint32(b[at:]))
			if k, err = encode(k[:0], b[at:at+n]); err != nil {
				return nil, err
			}
			key(k)
			at += n
		}
		return b[:0], nil
	}}
	return reading(inStream, func() error {
		return eachBatch(s.stream, func(b arrow.RecordBatch) error {
			if err := r.add(b); err != nil {
				return err
			}
			return batch(b)
		})
	})
}

// Keys calls f with the key of each row of a stream.
func (t *Table) Keys(f func(key []byte)) error {
	return t.streamKeys(f, func(arrow.RecordBatch) error { return nil })
}

// AddColumn copies a stream to w with a column more, which f makes of the keys of rows.
func (t *Table) AddColumn(w io.Writer, name string, f func(key []byte) int32) error {
	s, ok := t.source.(*arrowTable)
	if !ok || s.stream == nil {
		return errors.New("this is no stream")
	}
	was := s.stream.Schema()
	meta := was.Metadata()
	schema := arrow.NewSchemaWithEndian(append(was.Fields(), arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int32}), &meta, was.Endianness())
	out := ipc.NewWriter(w, ipc.WithSchema(schema))
	var values []int32
	err := t.streamKeys(func(key []byte) { values = append(values, f(key)) }, func(b arrow.RecordBatch) error {
		build := array.NewInt32Builder(memory.DefaultAllocator)
		build.AppendValues(values, nil)
		column := build.NewArray()
		values = values[:0]
		return out.Write(array.NewRecordBatch(schema, append(append([]arrow.Array{}, b.Columns()...), column), b.NumRows()))
	})
	if err != nil {
		return err
	}
	return out.Close()
}
