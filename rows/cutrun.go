package rows

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/internal/run"
)

// Range is the part of a run that holds the rows of one range.
type Range struct{ Offset, Length, Rows int64 }

// Run is a sorted run that was written.
type Run struct {
	Stats
	Sum    Sum     // of the rows that were read
	Ranges []Range // one more than there are splitters
}

// Run sorts the rows of parts, which are in the order of their places, and writes them to w as one
// run, cut at splitters: blocks of rows with checksums, for Merge. The splitters are in order. Of
// panics and runtime.Goexit holds what Sort says, as it does of Merge.
func (f *Form) Run(ctx context.Context, parts []Part, at []Splitter, w io.Writer) (Run, error) {
	c := &cutRun{form: f, parts: parts, w: w, r: Run{Ranges: make([]Range, len(at)+1)}}
	c.cutter = cutter{form: f, at: at, before: make([]int64, len(at)), write: c.write, keys: f.keys()}
	var among []Splitter
	for i, s := range at {
		switch where(parts, s) {
		case 0:
			among = append(among, s)
			c.among = append(c.among, i)
		case 1:
			c.before[i] = all
		}
	}
	c.ties = newTies(among)
	c.ties.rows = f.numbers
	o := f.options
	o.Observe = c.observe
	st, err := run.Sort(ctx, o, c.inputs(), -1, c)
	c.r.Stats = statsOf(st)
	if err != nil {
		return c.r, fmt.Errorf("rows: Run: %w", c.ofRow(err))
	}
	return c.r, nil
}

// where tells a splitter that all rows of parts are before, by 1, from one that none is before, by
// −1; 0 is among them.
func where(parts []Part, s Splitter) int {
	if len(parts) == 0 {
		return 1
	}
	first, last := parts[0], parts[len(parts)-1]
	switch {
	case s.place(Splitter{File: first.File, At: first.From}) <= 0:
		return -1
	case s.place(Splitter{File: last.File, At: last.To}) >= 0:
		return 1
	}
	return 0
}

// cutRun is a Run that is made.
type cutRun struct {
	cutter
	form   *Form
	parts  []Part
	w      io.Writer
	r      Run
	ties   *ties
	among  []int // the splitters of ties
	offset int64 // bytes written
	begun  bool
}

// inputs are the parts.
func (c *cutRun) inputs() (inputs []run.Input) {
	c.ties.begin = make([]int64, len(c.parts))
	for i, p := range c.parts {
		c.ties.files = append(c.ties.files, p.File)
		inputs = append(inputs, func() (r io.ReadCloser, err error) {
			r, c.ties.begin[i], err = p.Open()
			return r, err
		})
	}
	return inputs
}

// observe sums up the rows that are read, and counts those that tie with splitters.
func (c *cutRun) observe() func(run.Seen) func(int, int64, int64) {
	return func(s run.Seen) func(int, int64, int64) {
		var sum Sum
		sum.addRows(s.Rows, s.Ends)
		found := c.ties.find(s.Ends, s.Key)
		return func(input int, bytes, rows int64) {
			c.r.Sum.Add(sum)
			c.ties.add(found, input, bytes, rows)
		}
	}
}

// WriteRows implements run.RowWriter. All rows were read when the first one comes.
func (c *cutRun) WriteRows(b []byte, n int) error {
	if !c.begun {
		c.begun = true
		for k, count := range c.ties.before() {
			c.before[c.among[k]] = count
		}
	}
	return c.cutter.WriteRows(b, n)
}

// Write implements io.Writer.
func (c *cutRun) Write(b []byte) (int, error) { return len(b), c.WriteRows(b, 0) }

// write writes rows of a range.
func (c *cutRun) write(rng int, b []byte, n int) error {
	r := &c.r.Ranges[rng]
	if r.Rows == 0 {
		r.Offset = c.offset
	}
	k, err := run.WriteBlocks(c.w, c.form.options.Format, b, n)
	c.offset += k
	r.Length, r.Rows = r.Length+k, r.Rows+int64(n)
	return err
}

// ofRow names the file of an error about a row.
func (c *cutRun) ofRow(err error) error {
	var e *run.RowError
	if !errors.As(err, &e) || e.Input >= len(c.parts) {
		return err
	}
	name, begin := c.parts[e.Input].Name, c.ties.begin[e.Input]
	switch {
	case c.form.numbers:
		return DataError{fmt.Errorf("%s: row %d: %w", name, begin+e.Row, e.Err)}
	case begin == 0:
		return DataError{fmt.Errorf("%s: row %d: %w", name, e.Row, e.Err)}
	}
	return DataError{fmt.Errorf("%s: row %d behind byte %d: %w", name, e.Row, begin, e.Err)}
}

// Merged is what Merge wrote.
type Merged struct {
	Stats
	Sum         Sum
	Size        int64  // bytes of the rows
	First, Last []byte // keys; nil if there are no rows
}

// Stream is a range of a run, which is opened when it is its turn.
type Stream struct {
	Open  func() (io.ReadCloser, error)
	Bytes int64
}

// Merge writes the rows of streams to w in order, without a heading. The runs are in the order of
// the places of their rows. Each open stream takes so much memory besides.
func (f *Form) Merge(ctx context.Context, runs []Stream, each uint64, w io.Writer) (Merged, error) {
	o := f.options
	o.Source = each
	var streams []run.Stream
	for _, r := range runs {
		if r.Bytes > 0 {
			streams = append(streams, run.Stream{Open: r.Open, Bytes: r.Bytes})
		}
	}
	m := &merged{form: f, w: w, keys: f.keys()}
	st, err := run.MergeRuns(ctx, o, streams, m)
	m.Stats = statsOf(st)
	if err == nil {
		err = m.end()
	}
	if err != nil {
		err = fmt.Errorf("rows: Merge: %w", err)
	}
	return m.Merged, err
}

// merged takes the rows of a merge.
type merged struct {
	Merged
	form *Form
	w    io.Writer
	keys func(dst, row []byte) ([]byte, error)
	ends []uint32
	last []byte // row
}

// WriteRows implements run.RowWriter.
func (m *merged) WriteRows(b []byte, _ int) (err error) {
	m.ends = m.form.options.Format.Split(b, m.ends[:0])
	n := len(m.ends)
	if n == 0 {
		return nil
	}
	m.Sum.addRows(b, m.ends)
	m.Size += int64(len(b))
	if m.First == nil {
		if m.First, err = m.keys([]byte{}, b[:m.ends[0]]); err != nil {
			return err
		}
	}
	from := uint32(0)
	if n > 1 {
		from = m.ends[n-2]
	}
	m.last = append(m.last[:0], b[from:]...)
	_, err = m.w.Write(b)
	return err
}

// Write implements io.Writer.
func (m *merged) Write(b []byte) (int, error) { return len(b), m.WriteRows(b, 0) }

// end makes the last key.
func (m *merged) end() (err error) {
	if m.First != nil {
		m.Last, err = m.keys([]byte{}, m.last)
	}
	return err
}
