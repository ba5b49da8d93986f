package cluster

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/gpusort/gpusort/cmd/tables"
	"github.com/gpusort/gpusort/rows"
)

// tableLayout is rows of Parquet or Arrow files.
type tableLayout struct {
	*Host
	Plan
	ctx   context.Context
	first *tables.Table // of the first file, whose columns all have
	f     *rows.Form
	sizes map[string]int64 // of the files, by URL

	mu    sync.Mutex
	open  map[int]*tables.Table
	tails map[string][]byte
	seen  map[[2]int]bool // row groups that samples were taken of
}

// tableOptions are those of a plan's order.
func (h *Host) tableOptions(o Order) tables.Options {
	return tables.Options{
		By: o.By, Desc: strings.Contains(o.Letters, "r"), NullsFirst: o.Nulls == "first", NaNLast: o.NaN == "last",
		Budget: h.rowMemory(), Workers: h.workers(), Temp: h.Temp, Heap: h.Heap, Compression: o.Compression, GroupRows: o.GroupRows,
	}
}

func (h *Host) tableLayout(ctx context.Context, p Plan) (layout, error) {
	t := &tableLayout{Host: h, Plan: p, ctx: ctx, sizes: map[string]int64{}, open: map[int]*tables.Table{}, tails: map[string][]byte{}, seen: map[[2]int]bool{}}
	for _, f := range p.Files {
		t.sizes[f.URL] = f.Size
	}
	o := h.tableOptions(p.Order)
	o.Open = t.openFile
	var err error
	if t.first, err = tables.Open(p.Order.Format, p.Files[0].URL, o); err != nil {
		return nil, t.wrong(err)
	}
	t.open[0] = t.first
	t.f, err = t.first.Form()
	return t, err
}

// wrong marks errors that are of the data, not of the store or of a task that was ended.
func (t *tableLayout) wrong(err error) error {
	if t.ctx.Err() != nil || strings.Contains(err.Error(), "(tried ") {
		return err
	}
	return FinalError{err}
}

func (t *tableLayout) form() *rows.Form { return t.f }

// table opens a file.
func (t *tableLayout) table(file int) (*tables.Table, error) {
	t.mu.Lock()
	u := t.open[file]
	t.mu.Unlock()
	if u != nil {
		return u, nil
	}
	u, err := t.first.With(t.Files[file].URL)
	if err != nil {
		return nil, t.wrong(err)
	}
	t.mu.Lock()
	t.open[file] = u
	t.mu.Unlock()
	return u, nil
}

func (t *tableLayout) parts(ctx context.Context, file int, from, to int64) ([]rows.Part, error) {
	u, err := t.table(file)
	if err != nil {
		return nil, err
	}
	p, ok := u.Part(ctx, file, from, to)
	if !ok {
		return nil, nil
	}
	return []rows.Part{p}, nil
}

// tableSample is what a sample of the first rows of a group's keys reads, about. Small files have
// small groups, each of which counts.
const tableSample, smallTables = 128 << 10, 64 << 20

func (t *tableLayout) sampleBytes() int64 {
	if t.Size() < smallTables {
		return tableSample / 16
	}
	return tableSample
}

func (t *tableLayout) sample(_ context.Context, file int, at int64, most int) ([]rows.Splitter, int64, error) {
	u, err := t.table(file)
	if err != nil {
		return nil, 0, err
	}
	group, bytes, ok := u.Group(at)
	t.mu.Lock()
	again := t.seen[[2]int{file, group}]
	t.seen[[2]int{file, group}] = true
	t.mu.Unlock()
	if !ok || again {
		return nil, 0, nil
	}
	all, err := u.Sample(file, at, most)
	for i := range all {
		all[i].Key = short(all[i].Key)
	}
	if bytes == 0 {
		bytes = t.Files[file].Size
	}
	return all, bytes, err
}

func (t *tableLayout) output(_ context.Context, w io.Writer) (output, error) {
	return t.first.NewWriter(w)
}

// openFile is tables.Options.Open.
func (t *tableLayout) openFile(url string, from, to int64) (tables.Reader, error) {
	l, err := t.stores.Locate(t.ctx, url)
	if err != nil {
		return nil, err
	}
	size := t.sizes[url]
	w := &window{ctx: t.ctx, l: l, size: size}
	if l.Local() {
		return w, w.openLocal()
	}
	if to = min(to, size); to > from {
		return w, w.fill(t.Host, from, to)
	}
	return w, t.tail(w)
}

// tailBytes is how much of the end of a file is kept, of mostTails files: what is in files is told
// there.
const tailBytes, mostTails = 64 << 10, 64

// tail gives a window the end of its file.
func (t *tableLayout) tail(w *window) (err error) {
	url := w.l.String()
	t.mu.Lock()
	w.end = t.tails[url]
	t.mu.Unlock()
	if w.end != nil || w.size == 0 {
		return nil
	}
	n := min(tailBytes, w.size)
	if w.end, err = fetch(t.ctx, w.l, w.size-n, n); err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	t.mu.Lock()
	if len(t.tails) >= mostTails {
		clear(t.tails)
	}
	t.tails[url] = w.end
	t.mu.Unlock()
	return nil
}
