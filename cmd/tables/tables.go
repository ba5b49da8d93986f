// Package tables reads and writes the rows of Parquet and Arrow files for processes that share a
// sort, as package rows does those of text: with the same keys that gpusort sort --by has.
package tables

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/gpusort/gpusort/cmd/internal/table"
	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/run"
	"github.com/gpusort/gpusort/rows"
)

// Reader is an open file.
type Reader interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
}

// Options say how tables are ordered and written.
type Options struct {
	By               string // the columns, as --by has them
	Desc, NullsFirst bool   // what columns have whose words leave it open
	NaNLast          bool
	Budget           uint64   // bytes of memory of the process
	Workers          int      // goroutines at a time; 0: one a processor
	Temp             []string // folders of temporary files
	Heap             func(bytes int64) int64
	Compression      string // of the output; none: as in the input
	GroupRows        int    // most rows of a group of the output; 0: as in the input
	// Open opens a file by its name. Bytes [from, to) of it will be read, and little besides; of
	// an empty range, little.
	Open func(name string, from, to int64) (Reader, error)
}

func (o Options) keys() ([]by.Key, error) {
	k, err := by.Parse(o.By, by.Key{Desc: o.Desc, NullsFirst: o.NullsFirst, NaNLast: o.NaNLast})
	if err != nil {
		return nil, fmt.Errorf("--by: %w", err)
	}
	return k, nil
}

func (o Options) table() table.Options {
	return table.Options{
		Options:     run.Options{Budget: o.Budget, Workers: o.Workers, Temp: o.Temp, Heap: o.Heap},
		Compression: o.Compression, GroupRows: o.GroupRows,
	}
}

// Table is one file, or a stream.
type Table struct {
	t *table.Table
	o Options
}

var kinds = map[string]table.Kind{"parquet": table.Parquet, "arrow": table.Arrow, "arrows": table.Stream}

// Open opens a file of a format: parquet, arrow (an IPC file) or arrows (an IPC stream). Columns of
// dictionaries become columns of their values.
func Open(format, name string, o Options) (*Table, error) {
	kind, ok := kinds[format]
	if !ok {
		return nil, fmt.Errorf("tables: the formats are parquet, arrow and arrows, not %q", format)
	}
	keys, err := o.keys()
	if err != nil {
		return nil, err
	}
	t, err := table.OpenBy(kind, name, keys, func(name string, from, to int64) (table.Reader, error) { return o.Open(name, from, to) })
	if err != nil {
		return nil, err
	}
	return &Table{t, o}, nil
}

// OpenStream reads the schema of an Arrow stream, whose rows can be read once.
func OpenStream(r io.Reader, o Options) (*Table, error) {
	keys, err := o.keys()
	if err != nil {
		return nil, err
	}
	t, err := table.OpenStream(r, keys)
	if err != nil {
		return nil, err
	}
	return &Table{t, o}, nil
}

// With opens another file, which has to have the same columns.
func (t *Table) With(name string) (*Table, error) {
	u, err := t.t.With(name)
	if err != nil {
		return nil, err
	}
	return &Table{u, t.o}, nil
}

// Form is how the rows are ordered. Their places are their numbers in the file.
func (t *Table) Form() (*rows.Form, error) {
	options := []rows.Option{rows.Budget(t.o.table().RowBudget())}
	if t.o.Workers > 0 {
		options = append(options, rows.Workers(t.o.Workers))
	}
	if len(t.o.Temp) > 0 {
		options = append(options, rows.TempDirs(t.o.Temp...))
	}
	if t.o.Heap != nil {
		options = append(options, rows.Heap(t.o.Heap))
	}
	return rows.NewForm(t.t.Format(), options...)
}

// Part is the rows of the table, which is a file with a number: those whose row groups begin in
// bytes [from, to) of it. Arrow files have one part, which begins at 0.
func (t *Table) Part(ctx context.Context, number int, from, to int64) (p rows.Part, ok bool) {
	groups, first, end := t.t.Groups(from, to)
	if len(groups) == 0 {
		return p, false
	}
	return rows.Part{File: number, Name: t.t.Names[0], From: first, To: end, Open: func() (io.ReadCloser, int64, error) {
		return t.t.Read(ctx, t.o.table(), groups), first, nil
	}}, true
}

// Group is the row group that has a byte of the file, and its bytes, 0 if they are not known; ok is
// false if there is none.
func (t *Table) Group(at int64) (group int, bytes int64, ok bool) {
	group, bytes, _, ok = t.t.GroupAt(at)
	return group, bytes, ok
}

// sampleRows is how many rows of a group samples are of.
const sampleRows = 1 << 16

// Sample returns splitters at most so many, by the first rows of the group that has a byte of the
// file. Their places are spread over all of the group.
func (t *Table) Sample(number int, at int64, most int) (all []rows.Splitter, err error) {
	group, _, before, ok := t.t.GroupAt(at)
	if !ok {
		return nil, nil
	}
	var keys []byte // one behind the other
	ends := []int{0}
	err = t.t.Sample(group, sampleRows, func(key []byte) {
		keys = append(keys, key...)
		ends = append(ends, len(keys))
	})
	read, total := int64(len(ends)-1), t.t.GroupRows(group)
	if total < 0 {
		total = read
	}
	n := min(int64(most), read)
	for i := range n {
		row := (2*i + 1) * read / (2 * n)
		all = append(all, rows.Splitter{Key: slices.Clone(keys[ends[row]:ends[row+1]]), File: number, At: before + row*total/read})
	}
	return all, err
}

// Writer writes rows, as Form's Merge does, as a file like those that are read. One of Close and Stop
// ends it; both may be called.
type Writer struct {
	*table.Writer
}

// NewWriter begins to write to w.
func (t *Table) NewWriter(w io.Writer) (*Writer, error) {
	s, err := t.t.NewWriter(w, t.o.table())
	if err != nil {
		return nil, err
	}
	return &Writer{s}, nil
}

// Sort writes the rows of a stream in order to w, as a stream.
func (t *Table) Sort(ctx context.Context, w io.Writer) error {
	_, err := t.t.SortOpen(ctx, t.o.table(), w)
	return err
}

// Keys calls f with the key of each row of a stream; it holds until the next one.
func (t *Table) Keys(f func(key []byte)) error { return t.t.Keys(f) }

// AddColumn copies a stream to w with a column of 32-bit integers more, which f makes of the keys.
func (t *Table) AddColumn(w io.Writer, name string, f func(key []byte) int32) error {
	return t.t.AddColumn(w, name, f)
}
