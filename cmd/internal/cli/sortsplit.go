package cli

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/run"
)

// mostParts bounds the files that are written at once: none has its name before all are
// complete, so each of them is open.
const mostParts = 400

// splitter writes rows to one output or, part after part, to several.
type splitter struct {
	*lineSort
	head   *run.Headed // of the part that is written
	format run.Format
	sinks  []*sink
	rows   int64 // in that part
	bytes  uint64
	ends   []uint32
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
	if len(s.sinks) >= mostParts {
		return fmt.Errorf("--split: more than %d parts, which are all open until the last one is complete: make them larger", mostParts)
	}
	out, err := s.sinkOf(s.part(len(s.sinks)))
	if err != nil {
		return err
	}
	s.sinks = append(s.sinks, out)
	s.head = &run.Headed{W: out, First: s.countedFirst()}
	s.rows, s.bytes = 0, 0
	return nil
}

// commit gives all parts their names.
func (s *splitter) commit() error {
	for i, out := range s.sinks {
		if err := out.commit(); err != nil {
			if i > 0 {
				err = fmt.Errorf("%w; %d parts before it are complete", err, i)
			}
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
