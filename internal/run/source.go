package run

import (
	"encoding/binary"
	"io"
	"math"
)

// source is sorted rows that a merge reads in portions.
type source interface {
	// next returns the next whole rows, in buf or a longer buffer, until io.EOF.
	next(buf []byte) (rows, whole []byte, err error)
	input() int // the number of the one that rows are of
	close() error
}

// spillSource reads a run.
type spillSource struct{ *spill }

func (s *spillSource) next(buf []byte) (rows, whole []byte, err error) {
	rows, err = s.block(buf)
	return rows, rows, err
}

func (s *spillSource) input() int { return 0 }

func (s *spillSource) close() error {
	s.spill.close()
	return nil
}

// portion is rows of a source with their keys.
type portion struct {
	buf    []byte
	rows   []byte
	ends   []uint32 // of each row
	keys   []byte   // of all rows, if they have keys
	until  []uint32 // of each key
	prefix []uint64 // the first 8 bytes of what is compared
	err    error    // no more rows: io.EOF, or what failed
}

// maker makes the keys of portions.
type maker struct {
	format Format
	keys   func(dst, row []byte) ([]byte, error) // nil: rows are their own keys
	cut    uint32
	tail   bool
	flip   uint64
	input  int   // that rows come from, and
	rows   int64 // how many rows came from it so far
}

func newMaker(o Options) *maker {
	m := &maker{format: o.Format, cut: uint32(o.Format.Delimiter()), tail: o.Tail, keys: o.Format.Encoder()}
	if o.Desc {
		m.flip = ^uint64(0)
	}
	return m
}

// make fills p with the next rows of s.
func (m *maker) make(p *portion, s source) {
	if p.rows, p.buf, p.err = s.next(p.buf); p.err != nil {
		p.rows = nil
	}
	if uint64(len(p.rows)) > math.MaxUint32/2 {
		p.rows, p.err = nil, errRowTooLong
	}
	p.ends = m.format.Split(p.rows, p.ends[:0])
	p.keys, p.until, p.prefix = p.keys[:0], p.until[:0], p.prefix[:0]
	if in := s.input(); in != m.input {
		m.input, m.rows = in, 0
	}
	p.err = behind(m.rows, p.err)
	m.rows += int64(len(p.ends))
	if in, ok := s.(*streamSource); ok {
		in.rows += int64(len(p.ends))
	}
	from := uint32(0)
	for i, end := range p.ends {
		if m.keys != nil {
			var err error
			if p.keys, err = m.keys(p.keys, p.rows[from:end-m.cut]); err != nil {
				p.rows, p.ends, p.err = nil, p.ends[:0], &RowError{m.input, m.rows - int64(len(p.ends)-i-1), err}
				return
			}
			if m.tail {
				p.keys = append(p.keys, p.rows[from:end-m.cut]...)
			}
			p.until = append(p.until, uint32(len(p.keys)))
		}
		p.prefix = append(p.prefix, prefix(p.key(i, m.cut))^m.flip)
		from = end
	}
}

// key is what row i is compared by.
func (p *portion) key(i int, cut uint32) []byte {
	if len(p.until) > 0 {
		from := uint32(0)
		if i > 0 {
			from = p.until[i-1]
		}
		return p.keys[from:p.until[i]]
	}
	return p.rows[p.begin(i) : p.ends[i]-cut]
}

// begin is where row i begins.
func (p *portion) begin(i int) uint32 {
	if i == 0 {
		return 0
	}
	return p.ends[i-1]
}

// prefix returns the first 8 bytes of b, or b and zeros, as a big-endian number.
func prefix(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var w [8]byte
	copy(w[:], b)
	return binary.BigEndian.Uint64(w[:])
}

// portions makes the portions of a source ahead, in a goroutine of its own.
type portions struct {
	full  chan *portion
	empty chan *portion
}

// readPortions begins to read. It ends behind the last portion, or when stop is closed.
func readPortions(m *maker, s source, ahead int, stop <-chan struct{}, done func()) *portions {
	p := &portions{full: make(chan *portion, ahead), empty: make(chan *portion, ahead)}
	for range ahead {
		p.empty <- &portion{}
	}
	go func() {
		defer done()
		for {
			select {
			case q := <-p.empty:
				m.make(q, s)
				ended := q.err != nil // then it belongs to the merge
				p.full <- q
				if ended {
					return
				}
			case <-stop:
				return
			}
		}
	}()
	return p
}

// failure is why a portion has no rows, nil at the end of its source.
func (p *portion) failure() error {
	if p.err == io.EOF {
		return nil
	}
	return p.err
}
