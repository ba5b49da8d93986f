package run

import (
	"cmp"
	"io"
	"math"
	"slices"
	"sync/atomic"
)

// source is sorted rows that a merge reads in portions.
type source interface {
	// next returns the next whole rows, in buf or a longer buffer, until io.EOF.
	next(buf []byte) (rows, whole []byte, err error)
	input() int   // the number of the one that rows are of
	longest() int // bytes of its longest block, or 0 if that is not known
	close() error
}

// closeAll closes sources, all of them after a panic of one too.
func closeAll(sources []source) (err error) {
	for _, s := range slices.Backward(sources) {
		defer func() { err = cmp.Or(err, s.close()) }()
	}
	return nil
}

// portion is rows of a source with their keys.
type portion struct {
	buf   []byte
	rows  []byte
	ends  []uint32 // of each row
	keys  []byte   // of all rows, if they have keys
	until []uint32 // of each key
	codes []uint64 // of each key to that of the row before
	err   error    // no more rows: io.EOF, or what failed
	// In an input that is not in order a row counts as the highest one so far, so that it comes
	// when it is its turn. counts are those rows, nil if each counts as itself; −1 is one of an
	// earlier portion, whose key is carry.
	counts []int32
	carry  []byte
	users  atomic.Int32 // that read it
	home   chan<- *portion
}

// release ends the reading by one of the users; the last one gives it back.
func (p *portion) release() {
	if p.users.Add(-1) == 0 {
		p.home <- p
	}
}

// maker makes the keys of portions.
type maker struct {
	coder
	format Format
	keys   func(dst, row []byte) ([]byte, error) // nil: rows are their own keys
	cut    uint32
	tail   bool
	input  int    // that rows come from, and
	rows   int64  // how many rows came from it so far
	high   []byte // the highest key so far, nil if there is none
}

func newMaker(o Options) *maker {
	return &maker{coder: newCoder(o.Desc), format: o.Format, cut: uint32(o.Format.Delimiter()), tail: o.Tail, keys: o.Format.Encoder()}
}

// make fills p with the next rows of s.
func (m *maker) make(p *portion, s source) {
	if p.rows, p.buf, p.err = s.next(p.buf); p.err != nil {
		p.rows = nil
	}
	p.ends = m.format.Split(p.rows, p.ends[:0])
	if m.keys != nil && m.tail && len(p.rows) > spillBytes {
		p.keys = slices.Grow(p.keys[:0], 2*len(p.rows)) // of one row, likely: a key, and the row
	}
	p.keys, p.until, p.codes, p.counts = p.keys[:0], p.until[:0], p.codes[:0], nil
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
			if err := m.key(p, p.rows[from:end-m.cut]); err != nil {
				p.rows, p.ends, p.err = nil, p.ends[:0], &RowError{m.input, m.rows - int64(len(p.ends)-i-1), err}
				return
			}
			p.until = append(p.until, uint32(len(p.keys)))
		}
		from = end
	}
	m.encode(p)
}

// key appends the key of a row to those of p.
func (m *maker) key(p *portion, row []byte) (err error) {
	if p.keys, err = m.keys(p.keys, row); err != nil {
		return err
	}
	if m.tail {
		p.keys = append(p.keys, row...)
	}
	if uint64(len(p.keys)) > math.MaxUint32 {
		return errKeyTooLong
	}
	return nil
}

// encode makes the codes of p.
func (m *maker) encode(p *portion) {
	high, at, none := m.high, int32(-1), m.high == nil
	for i := range p.ends {
		key, code := p.own(i, m.cut), uint64(same)
		n := differ(key, high, 0)
		switch {
		case none:
			none = false
			high, code, at = key, m.first(key), int32(i)
		case m.compare(key, high, n) >= 0:
			high, code, at = key, m.code(key, high, n), int32(i)
		case p.counts == nil:
			p.counts, p.carry = make([]int32, i, len(p.ends)), m.high
			for j := range p.counts {
				p.counts[j] = int32(j)
			}
		}
		if p.counts != nil {
			p.counts = append(p.counts, at)
		}
		p.codes = append(p.codes, code)
	}
	if p.counts != nil {
		m.high = nil // p reads it
	}
	if len(p.ends) > 0 {
		m.high = copyTo(m.high, high)
	}
}

// key is what row i counts as.
func (p *portion) key(i int, cut uint32) []byte {
	if p.counts == nil {
		return p.own(i, cut)
	}
	if i = int(p.counts[i]); i < 0 {
		return p.carry
	}
	return p.own(i, cut)
}

// own is what row i is compared by.
func (p *portion) own(i int, cut uint32) []byte {
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

// portions makes the portions of a source ahead, in a goroutine of its own.
type portions struct {
	full  chan *portion // closed when no more come
	empty chan *portion
}

// readPortions has a goroutine of the team read. It ends behind the last portion, or when stop is
// closed.
func readPortions(team *crew, m *maker, s source, ahead int, stop <-chan struct{}) *portions {
	p := &portions{full: make(chan *portion, ahead), empty: make(chan *portion, ahead)}
	for range ahead {
		p.empty <- &portion{home: p.empty}
	}
	team.begin(func() {
		defer close(p.full)
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
	})
	return p
}

// failure is why a portion has no rows, nil at the end of its source.
func (p *portion) failure() error {
	if p.err == io.EOF {
		return nil
	}
	return p.err
}
