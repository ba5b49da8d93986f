package run

import (
	"bytes"
	"context"
)

// merger does tasks of a merge.
type merger struct {
	*merged
	tree
	done   chan<- *task // that are done
	unique bool
	most   int    // bytes of a task, of short rows
	buf    []byte // rows in order
	rows   int    // in buf
	tied   tied   // the last rows, if rows are counted
	early  int64  // rows that tie with what comes before the task
}

// do merges the rows of t, and writes them when it is their turn.
func (m *merger) do(t *task) {
	m.merge(t)
	for _, p := range t.parts {
		p.release()
	}
	err := m.wait(t.number)
	if err == nil {
		err = m.put(m)
	}
	m.pass(err)
	select {
	case m.done <- t:
	default:
	}
}

// merge collects the rows of t in order.
func (m *merger) merge(t *task) {
	if cap(m.buf) < t.bytes {
		m.buf = make([]byte, 0, max(t.bytes, m.most))
	}
	m.buf, m.rows, m.tied.n, m.early = m.buf[:0], 0, 0, 0
	m.heads = m.heads[:0]
	for _, p := range t.parts {
		m.heads = append(m.heads, head{m.codeTo(t.base, p.key(p.at, m.cut)), p})
	}
	m.begin()
	before, odd := t.before, !bytes.Equal(t.before, t.base)
	for h := m.winner(); h.code != over; h = m.winner() {
		keep := true
		if m.unique {
			key := h.own(h.at, m.cut)
			// What codes tell of an input that is not in order is what rows count as.
			odd = odd || h.counts != nil
			keep = h.code != same || odd && !bytes.Equal(key, before)
			before, odd = key, h.counts != nil
		}
		row := h.rows[h.begin(h.at):h.ends[h.at]]
		switch {
		case m.count != nil:
			m.add(row, keep)
		case keep:
			m.buf = append(m.buf, row...)
			m.rows++
		}
		if h.at++; h.at < h.end {
			h.code = h.codes[h.at]
		} else {
			h.code = over
		}
		m.replay()
	}
}

// codeTo is the code of a key to a base, nil for none.
func (m *merger) codeTo(base, key []byte) uint64 {
	if base == nil {
		return m.first(key)
	}
	return m.code(key, base, differ(key, base, 0))
}

// tied is a row that stands for n that tie. It is held back until it is known how many.
type tied struct {
	row []byte
	n   int64
}

// add counts a row, the first of those that tie or one more.
func (m *merger) add(row []byte, first bool) {
	switch {
	case first:
		if m.tied.n > 0 {
			m.buf = append(m.count(m.buf, m.tied.n), m.tied.row...)
			m.rows++
		}
		m.tied = tied{append(m.tied.row[:0], row...), 1}
	case m.tied.n > 0:
		m.tied.n++
	default:
		m.early++
	}
}

// merged is the result of a merge, to which mergers write in turn.
type merged struct {
	*ordered
	ctx   context.Context
	count func([]byte, int64) []byte
	tied  tied
	buf   []byte
	write func(rows []byte, n int) error
}

// put writes what a merger has collected.
func (o *merged) put(m *merger) error {
	o.tied.n += m.early
	if m.tied.n > 0 {
		if err := o.last(); err != nil {
			return err
		}
		o.tied, m.tied = m.tied, o.tied
	}
	if err := o.ctx.Err(); err != nil || m.rows == 0 {
		return err
	}
	return o.write(m.buf, m.rows)
}

// last writes the row that is held back.
func (o *merged) last() error {
	if o.tied.n == 0 {
		return nil
	}
	o.buf = append(o.count(o.buf[:0], o.tied.n), o.tied.row...)
	return o.write(o.buf, 1)
}
