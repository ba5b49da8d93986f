package rows

import (
	"context"
	"fmt"
	"io"
	"sort"

	"github.com/gpusort/gpusort/internal/run"
)

// Checked is what Check saw.
type Checked struct {
	Merged
	Disorder int64 // the first row that is out of order, from 1; 0: none is
}

// Check reads rows, which have no heading, and tells which they are and whether they are in order.
// Of panics and runtime.Goexit holds what Sort says.
func (f *Form) Check(ctx context.Context, open func() (io.ReadCloser, error)) (Checked, error) {
	c := &checker{merged: merged{form: f, w: io.Discard, keys: f.keys()}}
	st, err := run.Merge(ctx, f.options, [][]run.Input{{open}}, c)
	c.Stats = statsOf(st)
	if err == nil {
		err = c.end()
	}
	if err != nil {
		err = fmt.Errorf("rows: Check: %w", err)
	}
	return Checked{c.Merged, c.disorder}, err
}

// checker compares each row with the one before.
type checker struct {
	merged
	key, last []byte
	rows      int64
	disorder  int64
}

// WriteRows implements run.RowWriter.
func (c *checker) WriteRows(b []byte, n int) error {
	if err := c.merged.WriteRows(b, n); err != nil {
		return err
	}
	from := uint32(0)
	for _, end := range c.ends {
		var err error
		if c.key, err = c.keys(c.key[:0], b[from:end]); err != nil {
			return err
		}
		if c.rows++; c.rows > 1 && c.disorder == 0 && c.form.compare(c.last, c.key) > 0 {
			c.disorder = c.rows
		}
		c.key, c.last = c.last, c.key
		from = end
	}
	return nil
}

// Write implements io.Writer.
func (c *checker) Write(b []byte) (int, error) { return len(b), c.WriteRows(b, 0) }

// CompareKeys compares keys as bytes.Compare does, by the order of the form.
func (f *Form) CompareKeys(a, b []byte) int { return f.compare(a, b) }

// Range returns the range of a row with a key and a place, if the splitters are these.
func (f *Form) Range(at []Splitter, row Splitter) int {
	return sort.Search(len(at), func(i int) bool { return f.Compare(at[i], row) > 0 })
}
