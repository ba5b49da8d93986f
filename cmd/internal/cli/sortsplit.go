package cli

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/gpusort/gpusort/internal/run"
)

// openParts is how many parts wait, open and without their names, until the last one is
// complete, unless fewer files may be open. If there are more, the first ones get their names before.
const openParts = 256

// splitter writes rows to one output or, part after part, to several.
type splitter struct {
	*lineSort
	head   *run.Headed // of the part that is written
	format run.Format
	sinks  []*sink // that have no name yet
	named  int     // parts before those
	rows   int64   // in that part
	bytes  uint64
	ends   []uint32
}

// begin begins a part that out takes.
func (s *splitter) begin(out *sink) {
	first := s.countedFirst()
	s.head = &run.Headed{W: out, First: first}
	s.rows, s.bytes = 0, uint64(len(first))
}

// WriteRows implements run.RowWriter.
func (s *splitter) WriteRows(b []byte, n int) error {
	if s.debug {
		_, err := s.head.Write(marked(nil, b, s.lines))
		return err
	}
	if s.split == (splitSize{}) {
		_, err := s.head.Write(b)
		return err
	}
	s.ends = s.format.Split(b, s.ends[:0])
	from := 0
	for i := 0; i < len(s.ends); {
		if s.rows > 0 && s.full(uint64(s.ends[i])-uint64(from)) {
			if err := s.next(); err != nil {
				return err
			}
		}
		to := from
		for ; i < len(s.ends) && (s.rows == 0 || !s.full(uint64(s.ends[i])-uint64(to))); i++ {
			s.rows++
			s.bytes += uint64(s.ends[i]) - uint64(to)
			to = int(s.ends[i])
		}
		if _, err := s.head.Write(b[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// full reports whether the part has no room for one more row.
func (s *splitter) full(row uint64) bool {
	if most := s.split.bytes; most > 0 {
		return s.bytes+row > most
	}
	return s.rows >= s.split.rows
}

// next begins another part.
func (s *splitter) next() error {
	i := s.named + len(s.sinks)
	if digits, limit := s.digits(); limit > 0 && i >= limit {
		return s.tooMany(digits, s.named)
	}
	if err := s.sinks[len(s.sinks)-1].written(); err != nil {
		return err
	}
	if len(s.sinks) >= openParts {
		if err := s.nameFirst(); err != nil {
			return err
		}
	}
	out, err := s.sinkOf(s.part(i))
	for errors.Is(err, syscall.EMFILE) && len(s.sinks) > 0 {
		if err := s.nameFirst(); err != nil {
			return err
		}
		out, err = s.sinkOf(s.part(i))
	}
	if err != nil {
		return err
	}
	s.sinks = append(s.sinks, out)
	s.begin(out)
	return nil
}

// nameFirst gives the first part its name that has none.
func (s *splitter) nameFirst() error {
	if err := s.name(s.sinks[0]); err != nil {
		return err
	}
	s.sinks = s.sinks[1:]
	return nil
}

// name gives the first part its name that has none.
func (s *splitter) name(out *sink) error {
	err := out.commit()
	if err != nil && s.named > 0 {
		err = fmt.Errorf("%w; %d parts before it are complete", err, s.named)
	}
	s.named++
	return err
}

// commit gives all parts their names.
func (s *splitter) commit() error {
	for _, out := range s.sinks {
		if err := s.name(out); err != nil {
			return err
		}
	}
	return nil
}

// discard gives all parts up that have no name yet.
func (s *splitter) discard() {
	for _, out := range s.sinks {
		out.discard()
	}
}

// Write implements io.Writer.
func (s *splitter) Write(b []byte) (int, error) { return s.head.Write(b) }
