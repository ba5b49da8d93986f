package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/gpusort/gpusort/internal/sys/extent"
)

// spill is a sorted run in a temporary file: blocks of whole rows, each behind its
// length and checksum.
type spill struct {
	f      *os.File
	grows  *extent.File // f, as long as it is written
	dir    string
	temps  *temps
	format Format
	bytes  int64 // of the file, or of what its filter gets
	most   int   // bytes of its longest block
	level  int   // merges that its rows went through
	filter *filter
	in     io.Reader // once it is read
	left   int64     // bytes that are still to be read
}

// newSpill starts a run.
func (t *temps) newSpill(format Format, level int) (*spill, error) {
	dir := t.dirs[t.next%len(t.dirs)]
	f, err := t.create()
	if err != nil {
		return nil, err
	}
	s := &spill{f: f, grows: extent.New(f), dir: dir, temps: t, format: format, level: level}
	if t.filter != "" {
		s.filter = &filter{name: t.filter}
		if err := s.filter.start(t.ctx, f, false); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// finish ends the writing.
func (s *spill) finish() error {
	if s.left = s.bytes; s.filter == nil {
		return s.grows.Trim()
	}
	return s.filter.written()
}

// write adds n rows, in blocks.
func (s *spill) write(rows []byte, n int) error { return divide(s.format, rows, n, s.writeBlock) }

func (s *spill) writeBlock(rows []byte) error {
	if err := s.temps.take(headBytes + len(rows)); err != nil {
		return err
	}
	s.most = max(s.most, len(rows))
	head := headOf(rows)
	var w io.Writer = s.grows
	if s.filter != nil {
		w = s.filter.in
	}
	for _, part := range [][]byte{head[:], rows} {
		n, err := w.Write(part)
		s.bytes += int64(n)
		if err != nil && s.filter != nil {
			if e := s.filter.written(); e != nil {
				return e // which says more than that a pipe is broken
			}
			return s.filter.explain(errEarly)
		}
		if err != nil {
			return s.explain("writing", err)
		}
	}
	return nil
}

func (s *spill) explain(doing string, err error) error {
	err = reason(err)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("%s a temporary file in %s after %d bytes: %w; name a folder with more room by -T, or give more memory by -S",
			doing, s.dir, s.bytes, err)
	}
	return fmt.Errorf("%s a temporary file in %s: %w", doing, s.dir, err)
}

func (s *spill) input() int   { return 0 }
func (s *spill) longest() int { return s.most }

// next implements source, block by block.
func (s *spill) next(buf []byte) (rows, whole []byte, err error) {
	if s.in == nil {
		if s.in, err = s.read(); err != nil {
			return nil, buf, err
		}
	}
	rows, s.left, err = readBlock(s.in, s.left, buf)
	switch {
	case err == nil:
		return rows, rows, nil
	case s.filter != nil && (err == io.EOF || err == io.ErrUnexpectedEOF):
		if err := s.filter.ended(); err != nil {
			return nil, buf, err // which says more than that bytes are missing
		}
	}
	if err != io.EOF || s.left != 0 {
		err = s.unread(noEOF(err))
	}
	return nil, buf, err
}

// read begins to read what was written.
func (s *spill) read() (io.Reader, error) {
	if s.filter == nil {
		return io.NewSectionReader(s.f, 0, s.bytes), nil
	}
	if _, err := s.f.Seek(0, io.SeekStart); err != nil {
		return nil, s.explain("reading", err)
	}
	if err := s.filter.start(s.temps.ctx, s.f, true); err != nil {
		return nil, err
	}
	return s.filter.out, nil
}

// unread is an error of reading.
func (s *spill) unread(err error) error {
	if s.filter == nil {
		return s.explain("reading", err)
	}
	s.filter.close()
	if err == errBlock || err == io.ErrUnexpectedEOF {
		err = errOther
	}
	return s.filter.explain(err)
}

// close gives the file's room back.
func (s *spill) close() error {
	if s.filter != nil {
		s.filter.close()
	}
	if s.f != nil {
		s.f.Close()
		forget(s.f)
		s.f = nil
		s.temps.used.Add(-uint64(s.bytes))
	}
	return nil
}
