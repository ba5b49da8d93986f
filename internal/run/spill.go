package run

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"syscall"
)

// spill is a sorted run in a temporary file: blocks of whole rows, each behind its
// length and checksum.
type spill struct {
	f      *os.File
	dir    string
	temps  *temps
	format Format
	bytes  int64 // of the file, or of what its filter gets
	level  int   // merges that its rows went through
	filter *filter
	in     io.Reader // once it is read
	left   int64     // bytes that are still to be read
}

// headBytes is what precedes a block: its length and its checksum.
const headBytes = 12

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// newSpill starts a run.
func (t *temps) newSpill(format Format, level int) (*spill, error) {
	dir := t.dirs[t.next%len(t.dirs)]
	f, err := t.create()
	if err != nil {
		return nil, err
	}
	s := &spill{f: f, dir: dir, temps: t, format: format, level: level}
	if t.filter != "" {
		s.filter = &filter{name: t.filter}
		if err := s.filter.start(f, false); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// finish ends the writing.
func (s *spill) finish() error {
	if s.left = s.bytes; s.filter == nil {
		return nil
	}
	return s.filter.written()
}

// A block of a run has no more bytes than this, unless a row has, and about as many
// rows: what a merge keeps of each row besides counts, too.
const (
	spillBytes = 256 << 10
	spillRows  = 16 << 10
)

// write adds n rows, in blocks.
func (s *spill) write(rows []byte, n int) error {
	step := spillBytes
	if n > 0 {
		step = max(1, min(step, len(rows)*spillRows/n))
	}
	for len(rows) > 0 {
		cut := 0
		for most := step; cut == 0; most *= 2 {
			cut, _ = s.format.Cut(rows[:min(most, len(rows))]) // there is a row
		}
		if err := s.writeBlock(rows[:cut]); err != nil {
			return err
		}
		rows = rows[cut:]
	}
	return nil
}

func (s *spill) writeBlock(rows []byte) error {
	if err := s.temps.take(headBytes + len(rows)); err != nil {
		return err
	}
	var head [headBytes]byte
	binary.LittleEndian.PutUint64(head[:], uint64(len(rows)))
	binary.LittleEndian.PutUint32(head[8:], crc32.Checksum(rows, castagnoli()))
	var w io.Writer = s.f
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
			return s.filter.explain(err)
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

var errBlock = errors.New("a block is not as it was written: the disk or the memory is faulty")

// block reads the next block into buf, or a longer buffer. It returns io.EOF at the end.
func (s *spill) block(buf []byte) (rows []byte, err error) {
	if s.in == nil {
		if s.in, err = s.read(); err != nil {
			return nil, err
		}
	}
	var head [headBytes]byte
	_, err = io.ReadFull(s.in, head[:])
	switch {
	case err == io.EOF:
		if s.filter != nil {
			if err := s.filter.ended(); err != nil {
				return nil, err
			}
		}
		if s.left != 0 {
			return nil, s.unread(io.ErrUnexpectedEOF)
		}
		return buf[:0], io.EOF
	case err != nil:
		return nil, s.unread(err)
	}
	n := int64(binary.LittleEndian.Uint64(head[:]))
	if n <= 0 || n > s.left-headBytes {
		return nil, s.unread(errBlock)
	}
	if s.left -= headBytes + n; int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	rows = buf[:n]
	if _, err := io.ReadFull(s.in, rows); err != nil {
		return nil, s.unread(noEOF(err))
	}
	if crc32.Checksum(rows, castagnoli()) != binary.LittleEndian.Uint32(head[8:]) {
		return nil, s.unread(errBlock)
	}
	return rows, nil
}

// read begins to read what was written.
func (s *spill) read() (io.Reader, error) {
	if s.filter == nil {
		return io.NewSectionReader(s.f, 0, s.bytes), nil
	}
	if _, err := s.f.Seek(0, io.SeekStart); err != nil {
		return nil, s.explain("reading", err)
	}
	if err := s.filter.start(s.f, true); err != nil {
		return nil, err
	}
	return s.filter.out, nil
}

// unread is an error of reading.
func (s *spill) unread(err error) error {
	if s.filter != nil {
		return s.filter.explain(err)
	}
	return s.explain("reading", err)
}

// noEOF is err, and an error where a file ends too early.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// close gives the file's room back.
func (s *spill) close() {
	if s.filter != nil {
		s.filter.close()
	}
	if s.f != nil {
		s.f.Close()
		forget(s.f)
		s.f = nil
		s.temps.used.Add(-uint64(s.bytes))
	}
}
