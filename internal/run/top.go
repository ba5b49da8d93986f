package run

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/gpusort/gpusort/internal/sys/mem"
)

// errEnough ends the writing of which no more rows are wanted.
var errEnough = errors.New("enough")

// enough is err, and nil if that says that all rows that are wanted are there.
func enough(err error) error {
	if err == errEnough {
		return nil
	}
	return err
}

// moreRows is how many rows beyond those that are kept are collected, at least, before
// the first ones are selected again.
const moreRows = 64 << 10

// selecting reports whether rows that cannot be among the first are left out on reading.
func (o *Options) selecting() bool {
	return o.Top > 0 && o.Top < mostRows/4 && o.Count == nil
}

// thinBytes is what a table of rows that are to be unique takes before it is looked at
// whether most of them tie: what stays in a cache is sorted sooner.
const thinBytes = 2 << 20

// crowded reports whether rows of the table that are not wanted are to go before so many
// more come.
func (f *former) crowded(rows int) bool {
	switch {
	case f.t.rows == 0 || f.t.numbers.Load():
		return false
	case f.selecting():
		return f.t.rows+rows > int(f.Top)+max(int(f.Top), f.more)
	}
	return f.thin > 0 && f.t.used+uint64(f.t.rows)*8 > f.thin
}

// thinning has rows that tie go early, as long as that leaves few.
func (f *former) thinning() error {
	before := f.t.rows
	done, err := f.selectTop()
	f.sorted = false // for more rows come
	if f.thin = max(f.thinFrom, 4*f.t.used); !done || f.t.rows > before/2 {
		f.thin = 0
	}
	return err
}

// selectTop sorts the table and keeps its first rows, or, if all are wanted, those that
// are unique. It reports whether it did: rows that
// take much memory stay as they are, in order.
func (f *former) selectTop() (bool, error) {
	if err := f.argsort(); err != nil {
		return false, err
	}
	f.sorted = true
	t := f.t
	index, total := t.index.All[:t.rows], uint64(0)
	var first []uint32
	for i, row := range index {
		if f.Unique && i > 0 && bytes.Equal(t.Bytes(row), t.Bytes(index[i-1])) {
			continue
		}
		if f.Top > 0 && len(first) == int(f.Top) {
			break
		}
		size := t.offset(row+1) - t.offset(row)
		if total += size + 16; total > min(t.room/4, math.MaxUint32) {
			return false, nil
		}
		first = append(first, row)
	}
	n := copy(index, first)
	kept, err := mem.Reserve[uint8](total)
	if err != nil {
		return false, nil // there will be room in a temporary file
	}
	defer kept.Release()
	if f.Top > 0 && n == int(f.Top) {
		last := bytes.Clone(t.Bytes(index[n-1]))
		f.least.Store(&last)
	}
	f.texts = f.texts[:0]
	at := uint64(0)
	for i, row := range index[:n] {
		begin := t.offset(row)
		text, _ := t.text(row)
		index[i] = uint32(at)
		at += uint64(copy(kept.All[at:], t.data.All[begin:t.offset(row+1)]))
		f.texts = append(f.texts, uint32(text-begin))
	}
	copy(t.data.All, kept.All)
	for i, at := range index[:n] {
		t.place.All[i*t.stride] = at
		if t.keyed {
			t.place.All[2*i+1] = at + f.texts[i]
		}
	}
	t.rows, t.used, t.wraps, f.sorted = n, at, t.wraps[:0], false
	return true, nil
}

// late reports whether a row cannot be among the first, so many of which are there already:
// of rows that tie with the last of them, too, the earlier ones count.
func (p *parser) late(key []byte) bool {
	least := p.least.Load()
	if least == nil {
		return false
	}
	if p.Desc {
		return bytes.Compare(key, *least) <= 0
	}
	return bytes.Compare(key, *least) >= 0
}

// leave leaves out rows without keys that cannot be among the first or repeat an earlier one.
func (p *parser) leave(rows []byte) []byte {
	cut := uint32(p.Format.Delimiter())
	kept, to, from := 0, uint32(0), uint32(0)
	for _, end := range p.ends {
		if key := rows[from : end-cut]; !p.late(key) && (p.repeats == nil || !p.repeats.seen(key)) {
			to += uint32(copy(rows[to:], rows[from:end]))
			p.ends[kept] = to
			kept++
		}
		from = end
	}
	p.ends = p.ends[:kept]
	return rows[:to]
}

// RowWriter is a writer that wants to know how many rows it gets.
type RowWriter interface {
	WriteRows(rows []byte, n int) error
}

// output writes the rows that are wanted and tells how much.
type output struct {
	w      io.Writer
	format Format
	moved  func(int64)
	most   int64 // rows that are wanted, 0 for all
	rows   int64 // that are written
	ends   []uint32
}

func (o Options) output(w io.Writer, moved func(int64)) *output {
	return &output{w: w, format: o.Format, most: o.Top, moved: moved}
}

func (c *output) write(b []byte, n int) (err error) {
	last := c.most > 0 && c.rows+int64(n) >= c.most
	if left := c.most - c.rows; last && int64(n) > left {
		c.ends = c.format.Split(b, c.ends[:0])
		b, n = b[:c.ends[left-1]], int(left)
	}
	if len(b) > 0 {
		if w, ok := c.w.(RowWriter); ok {
			err = w.WriteRows(b, n)
		} else {
			_, err = c.w.Write(b)
		}
		c.rows += int64(n)
		c.moved(int64(len(b)))
	}
	if err == nil && last {
		err = errEnough
	}
	return err
}

// written writes to a run.
type written struct{ *spill }

// WriteRows implements RowWriter.
func (w written) WriteRows(b []byte, n int) error { return w.write(b, n) }

// Write implements io.Writer.
func (w written) Write(b []byte) (int, error) { return len(b), w.write(b, 0) }
