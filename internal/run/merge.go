package run

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// ahead is how many portions of a source are made ahead of the merge.
const ahead = 2

// portionBytes is what a source of a merge takes: portions with a place and a prefix
// for each row and, of keyed rows, a key that is about as long as the row, and its row.
func (o Options) portionBytes() uint64 {
	if o.Format.Encoder() != nil {
		return ahead * (3*spillBytes + 16*spillRows)
	}
	return ahead * (spillBytes + 12*spillRows)
}

// fanIn is how many sources are merged at once.
func (o Options) fanIn() int {
	fit := min(int((o.Budget-2*blockBytes)/(o.portionBytes()+o.Source)), openFiles())
	if o.FanIn > 0 {
		fit = min(fit, o.FanIn)
	}
	return max(fit, 2)
}

// mostFiles bounds the temporary files that are open at once, and otherFiles is what the
// rest of the process has open.
const mostFiles, otherFiles = 400, 24

// openFiles is how many files a sort has open at once.
var openFiles = sync.OnceValue(func() int {
	return int(max(3, min(mostFiles, fileLimit()-min(fileLimit(), otherFiles))))
})

// mergeTo merges sources and hands blocks of rows to write, which is called by another
// goroutine. It closes the sources.
func (o Options) mergeTo(ctx context.Context, sources []source, write func(rows []byte, n int) error) (err error) {
	stop := make(chan struct{})
	var readers sync.WaitGroup
	defer func() {
		close(stop)
		readers.Wait()
		for _, s := range sources {
			if e := s.close(); err == nil {
				err = e
			}
		}
	}()
	heads := make([]head, len(sources))
	for i, s := range sources {
		readers.Add(1)
		heads[i].from = readPortions(newMaker(o), s, ahead, stop, readers.Done)
	}
	for i := range heads {
		if err := heads[i].advancePortion(); err != nil {
			return err
		}
	}
	w := newWriter(ctx, write)
	err = o.mergeHeads(newTree(heads, o.Desc, uint32(o.Format.Delimiter())), w)
	if e := w.close(); e != nil {
		err = e
	}
	return err
}

// advancePortion takes the next portion of a head.
func (h *head) advancePortion() error {
	if h.own != nil {
		*h.own = h.portion
		h.from.empty <- h.own
	}
	for {
		h.own = <-h.from.full
		h.portion, h.at = *h.own, 0
		if h.err != nil {
			h.end()
			return h.failure()
		}
		if len(h.ends) > 0 {
			h.prefix = h.portion.prefix[0]
			return nil
		}
		h.from.empty <- h.own
	}
}

// mergeHeads writes all rows in order.
func (o Options) mergeHeads(t *tree, w *writer) (err error) {
	var last []byte // the key of the last row
	any := false
	c := counted{count: o.Count, w: w}
	for len(t.heads) > 0 {
		h := t.winner()
		if h.ended {
			break
		}
		keep := true
		if o.Unique {
			key := h.key(h.at, t.cut)
			if keep = !any || !bytes.Equal(key, last); keep {
				last, any = append(last[:0], key...), true
			}
		}
		switch {
		case o.Count != nil:
			if err := c.add(keep, h.rows[h.begin(h.at):h.ends[h.at]]); err != nil {
				return err
			}
		case keep:
			if err := w.add(h.rows[h.begin(h.at):h.ends[h.at]]); err != nil {
				return err
			}
		}
		if h.at++; h.at < len(h.ends) {
			h.prefix = h.portion.prefix[h.at]
		} else if err := h.advancePortion(); err != nil {
			return err
		}
		t.replay()
	}
	if err := c.end(); err != nil {
		return err
	}
	return w.flush()
}

// counted holds a row back until it is known how many tie with it.
type counted struct {
	count func([]byte, int64) []byte
	w     *writer
	row   []byte
	n     int64
	buf   []byte
}

// add adds a row, the first of those that tie or one more.
func (c *counted) add(first bool, row []byte) error {
	if first {
		if err := c.end(); err != nil {
			return err
		}
		c.row, c.n = append(c.row[:0], row...), 0
	}
	c.n++
	return nil
}

// end writes the row that is held.
func (c *counted) end() error {
	if c.n == 0 {
		return nil
	}
	c.buf = append(c.count(c.buf[:0], c.n), c.row...)
	return c.w.add(c.buf)
}

// writer collects rows to blocks, which another goroutine writes.
type writer struct {
	ctx   context.Context
	buf   []byte
	rows  int // in buf
	full  chan block
	empty chan []byte
	ended chan struct{}
	err   error // set before ended is closed
}

// block is whole rows on their way out.
type block struct {
	b    []byte
	rows int
}

func newWriter(ctx context.Context, write func(rows []byte, n int) error) *writer {
	w := &writer{ctx: ctx, buf: make([]byte, 0, blockBytes), full: make(chan block, 1), empty: make(chan []byte, 2), ended: make(chan struct{})}
	w.empty <- make([]byte, 0, blockBytes)
	go func() {
		defer close(w.ended)
		for b := range w.full {
			if w.err = write(b.b, b.rows); w.err != nil {
				return
			}
			w.empty <- b.b[:0]
		}
	}()
	return w
}

// add adds a row.
func (w *writer) add(row []byte) error {
	if len(w.buf)+len(row) > blockBytes {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, row...)
	w.rows++
	return nil
}

// flush sends what is collected.
func (w *writer) flush() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if len(w.buf) == 0 {
		return nil
	}
	select {
	case w.full <- block{w.buf, w.rows}:
		w.rows = 0
	case <-w.ended:
		return io.ErrShortWrite // close tells more
	}
	select {
	case w.buf = <-w.empty:
	case <-w.ended:
	}
	return nil
}

// close waits until all is written.
func (w *writer) close() error {
	close(w.full)
	<-w.ended
	return w.err
}
