package table

import (
	"cmp"
	"context"
	"io"
	"runtime"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/internal/run"
)

// Options say how to sort a table.
type Options columns.Options

// leastBudget is the least memory that sorting a table takes, and programBytes is what the
// code for tables takes of a budget, as far as that has more than twice as much.
const (
	leastBudget  = 34 << 20
	programBytes = 30 << 20
)

func (o Options) complete() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Budget = max(o.Budget-min(o.Budget/2, programBytes), leastBudget)
	return o
}

// share is the part of the budget that columns have, before they are rows and after.
func (o Options) share() uint64 { return min(o.Budget/4, uint64(o.Workers+1)*mostGroup) }

// mostGroup is what a worker takes at most of columns and rows at a time.
const mostGroup = 256 << 20

// groupBytes is how many bytes of rows a group of the output has at most: they are there
// as rows, as columns and as pages.
func (o Options) groupBytes() int { return int(o.share()) / (3 * (o.Workers + 1)) }

// run are the options of package run.
func (o Options) run(keys []*fieldKey) run.Options {
	r := o.Options
	r.Format, r.Budget = format{keys}, o.Budget-o.share()-o.share()/8
	if o.Heap != nil {
		r.Heap = func(n int64) int64 { return o.Heap(n + int64(max(o.share(), readerHeap))) }
	}
	return r
}

// readerBytes is about what reading a piece takes, pages of its columns, and readerHeap what Go's
// heap gets for it beside rows: less keeps a sort within 64 MiB and the 32 of the program.
const (
	readerBytes = 16 << 20
	readerHeap  = 14 << 20
)

// readers is how many pieces are read at a time.
func (o Options) readers() int { return min(o.Workers, max(1, int(o.share()/readerBytes))) }

// input is the rows of pieces.
func (o Options) input(ctx context.Context, pieces []piece) run.Input {
	return func() (io.ReadCloser, error) { return newFeed(ctx, pieces, o.readers(), int(o.share()/2)), nil }
}

// Sort writes the rows in order to w, as a table of the same kind.
func (t *Table) Sort(ctx context.Context, o Options, w io.Writer) (run.Stats, error) {
	if err := t.orderBy(o.By); err != nil {
		return run.Stats{}, err
	}
	return t.SortOpen(ctx, o, w)
}

// SortOpen is Sort of a table whose order is settled.
func (t *Table) SortOpen(ctx context.Context, o Options, w io.Writer) (run.Stats, error) {
	o = o.complete()
	if o.Heap != nil {
		o.Heap(int64(max(o.share(), readerBytes))) // until memory is full of rows
	}
	s, err := t.sink(w, o, o.groupBytes())
	if err != nil {
		return run.Stats{}, err
	}
	defer s.stop()
	pieces, narrowed, err := t.first(ctx, o)
	if err != nil {
		return run.Stats{}, err
	}
	st, err := run.Sort(ctx, o.run(t.keys()), []run.Input{o.input(ctx, pieces)}, -1, s)
	if narrowed {
		st.Rows = t.size()
	}
	if err = cmp.Or(t.unchanged(), err); err != nil { // which says more
		return st, err
	}
	return st, s.close()
}

// sink writes rows to w as the options say. It refuses what they cannot be written as.
func (t *Table) sink(w io.Writer, o Options, groupBytes int) (sink, error) {
	if err := cmp.Or(o.As, t.Kind()).Compresses(o.Compression); err != nil {
		return nil, err
	}
	return t.newSink(w, o, groupBytes)
}

// Check returns the number, from 1, of the first row that is out of order, or, if rows are
// to be unique, that ties with the one before it; 0 if there is none.
func (t *Table) Check(ctx context.Context, o Options) (row int64, err error) {
	o = o.complete()
	if err := t.orderBy(o.By); err != nil {
		return 0, err
	}
	row, _, err = run.Check(ctx, o.run(t.keys()), o.input(ctx, t.pieces()))
	return row, cmp.Or(t.unchanged(), err)
}
