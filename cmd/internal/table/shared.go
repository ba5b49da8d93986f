package table

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/run"
)

// OpenBy opens one file of a kind, to be sorted by processes that share the sort. Columns of Arrow's
// dictionaries become columns of their values, since dictionaries are each process's own.
func OpenBy(kind Kind, name string, keys []by.Key, open Opener) (t *Table, err error) {
	t = &Table{Names: []string{name}}
	if kind == Parquet {
		t.source, err = openParquets(t.Names, open)
	} else {
		t.source, err = openArrows(kind, t.Names, open, true)
	}
	if err != nil {
		return nil, err
	}
	return t, t.orderBy(keys)
}

// OpenStream reads the schema of an Arrow stream, whose rows are read once.
func OpenStream(r io.Reader, keys []by.Key) (*Table, error) {
	in, err := openArrowStream(r, -1)
	if err != nil {
		return nil, fmt.Errorf("this is no Arrow stream: %w", err)
	}
	t := &arrowTable{of: Stream, plain: true, stream: in, schema: withoutDictionaries(in.Schema())}
	if err := t.takeShapes("the stream"); err != nil {
		return nil, err
	}
	return &Table{Names: []string{"the stream"}, source: t}, t.orderBy(keys)
}

// With is the table of another file, which has the same columns and order.
func (t *Table) With(name string) (*Table, error) {
	switch s := t.source.(type) {
	case *parquetTable:
		f, err := openParquet(name, s.files[0].open)
		if err != nil {
			return nil, err
		}
		if err := agree(s.schema, f.meta.Schema); err != nil {
			return nil, fmt.Errorf("%s and %s cannot be sorted together: %w", s.files[0].name, name, err)
		}
		other := *s
		other.files = []*parquetFile{f}
		return &Table{Names: []string{name}, source: &other}, nil
	case *arrowTable:
		other := *s
		other.files, other.counts = nil, nil
		if err := other.addFile(name); err != nil {
			return nil, err
		}
		for i, f := range other.schema.Fields() { // outputs have the schema of the first file
			if f.Nullable && !s.schema.Field(i).Nullable {
				return nil, fmt.Errorf("%s and %s cannot be sorted together: column %s may have missing values in the second alone: write it as nullable in the first", s.first, name, f.Name)
			}
		}
		return &Table{Names: []string{name}, source: &other}, nil
	}
	return nil, errors.New("a stream has no other files")
}

// Format tells the rows apart and makes their keys.
func (t *Table) Format() run.Format { return format{t.keys()} }

// Groups are the row groups of a Parquet file that begin in bytes [from, to), and the rows before
// and behind them. Of another file they are all or, if from is not 0, none.
func (t *Table) Groups(from, to int64) (groups []int, first, end int64) {
	p, ok := t.source.(*parquetTable)
	if !ok {
		if from == 0 && to > 0 {
			groups = []int{0}
		}
		return groups, 0, 1<<63 - 1
	}
	row := int64(0)
	for i, g := range p.files[0].meta.RowGroups {
		at, _ := p.files[0].extent(i)
		if from <= at && at < to {
			if groups == nil {
				first = row
			}
			groups, end = append(groups, i), row+g.NumRows
		}
		row += g.NumRows
	}
	return groups, first, end
}

// Read returns the rows of groups.
func (t *Table) Read(ctx context.Context, o Options, groups []int) io.ReadCloser {
	o = o.complete()
	all := t.pieces()
	if _, ok := t.source.(*parquetTable); ok {
		var some []piece
		for _, g := range groups {
			some = append(some, all[g])
		}
		all = some
	}
	return newFeed(ctx, all, o.Workers, int(o.share()/2))
}

var errEnough = errors.New("enough")

// Sample calls f with keys of the first rows of a group; each holds until the next one.
func (t *Table) Sample(group, rows int, f func(key []byte)) error {
	s, seen := t.source, 0
	switch p := s.(type) {
	case *parquetTable:
		s = p.keysAlone()
	case *arrowTable:
		part, open := *p, p.open
		part.open = func(name string, _, _ int64) (Reader, error) { return open(name, 0, 0) }
		s = &part
	}
	encode := format{s.keys()}.Encoder()
	var key []byte
	read := func(b []byte) ([]byte, error) {
		for at := 0; at < len(b) && seen < rows; seen++ {
			n := int(binary.LittleEndian.Uint32(b[at:]))
			var err error
			if key, err = encode(key[:0], b[at:at+n]); err != nil {
				return nil, err
			}
			f(key)
			at += n
		}
		if seen >= rows {
			return nil, errEnough
		}
		return b[:0], nil
	}
	err := reading("the file", func() error {
		if p, ok := s.(*parquetTable); ok {
			return p.files[0].with(group, false, func(r *file.Reader) error { return p.readGroup(r.RowGroup(group), len(p.order), nil, read) })
		}
		for _, p := range s.pieces() {
			if err := p(read); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// keysAlone is the table without columns that are no keys.
func (t *parquetTable) keysAlone() *parquetTable {
	other, n := *t, len(t.by)
	other.order, other.fields, other.paths = t.order[:n], t.fields[:n], t.paths[:n]
	return &other
}

// Writer writes rows as a file like those that are read.
type Writer struct{ sink }

// mostGroupBytes bounds the rows of a group, so that files do not depend on the memory of the
// process that writes them, unless that is small.
const mostGroupBytes = 16 << 20

// NewWriter begins to write to w. Its columns are those of the table's first file.
func (t *Table) NewWriter(w io.Writer, o Options) (*Writer, error) {
	o = o.complete()
	s, err := t.sink(w, o, min(mostGroupBytes, o.groupBytes()))
	if err != nil {
		return nil, err
	}
	if p, ok := s.(*parquetSink); ok {
		p.joined = true // by the merge of what processes read
	}
	return &Writer{s}, nil
}

// Close writes what is left.
func (w *Writer) Close() error { return w.close() }

// Stop ends a writer that is not closed.
func (w *Writer) Stop() { w.stop() }

// RowBudget is the part of the memory that package run has.
func (o Options) RowBudget() uint64 {
	o = o.complete()
	return o.run(nil).Budget
}

// GroupRows is how many rows a group has, −1 if that is not known.
func (t *Table) GroupRows(group int) int64 {
	if p, ok := t.source.(*parquetTable); ok {
		return p.files[0].meta.RowGroups[group].NumRows
	}
	return -1
}

// GroupAt is the row group that has a byte of the file, or the first one, with its bytes and the rows
// before it; ok is false if there is none. A file that is no Parquet is one group of 0 bytes.
func (t *Table) GroupAt(at int64) (group int, bytes, before int64, ok bool) {
	p, isParquet := t.source.(*parquetTable)
	if !isParquet {
		return 0, 0, 0, true
	}
	row := int64(0)
	for i, g := range p.files[0].meta.RowGroups {
		begin, end := p.files[0].extent(i)
		if ok && begin > at {
			break
		}
		group, bytes, before, ok = i, end-begin, row, true
		row += g.NumRows
	}
	return group, bytes, before, ok
}
