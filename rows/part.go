package rows

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/gpusort/gpusort/internal/run"
)

// Part is the rows of a file that begin in bytes [from, to) of it. The file has so many bytes
// and a name for messages. read returns its bytes from a place on. A file that is not Divisible
// has a part only if from is 0: all of it. So has one of size −1, which is not known before it is
// read.
func (f *Form) Part(file int, name string, size, from, to int64, read func(at int64) (io.ReadCloser, error)) (p Part, ok bool) {
	switch g := int64(f.grain); {
	case from >= to || size < 0 && from > 0:
		return p, false
	case size < 0:
		to = math.MaxInt64
	case g < 0 && from == 0:
		to = size
	case g < 0:
		return p, false
	case g > 0:
		from, to = (from+g-1)/g*g, min((to+g-1)/g*g, size)
	}
	if from >= to {
		return p, false
	}
	return Part{file, name, from, to, func() (io.ReadCloser, int64, error) { return f.open(name, size, from, to, read) }}, true
}

// open opens a part.
func (f *Form) open(name string, size, from, to int64, read func(at int64) (io.ReadCloser, error)) (io.ReadCloser, int64, error) {
	if f.grain > 0 && size >= 0 && size%int64(f.grain) != 0 {
		return nil, 0, DataError{fmt.Errorf("%s has %d bytes, no multiple of the record's %d: %d are left over; is the length right?", name, size, f.grain, size%int64(f.grain))}
	}
	begin := from
	if f.grain == 0 && from > 0 {
		begin-- // a row begins behind the delimiter of the one before
	}
	r, err := read(begin)
	if err != nil {
		return nil, 0, err
	}
	kept := false
	defer func() {
		if !kept {
			r.Close()
		}
	}()
	p := &partReader{in: r, name: name, at: begin, to: to, grain: f.grain, delim: f.delim}
	if from == 0 && f.heading.Format != nil {
		if err := p.behead(f.heading, name); err != nil {
			return nil, 0, err
		}
	} else if from > 0 && f.grain == 0 {
		if err := p.skip(); err != nil {
			return nil, 0, err
		}
	}
	kept = true
	return p, p.at, nil
}

// partReader reads the rows of a file that begin before a place.
type partReader struct {
	in    io.ReadCloser
	name  string
	buf   *bufio.Reader // what was read ahead, or nil
	at    int64         // bytes of the file that were read
	to    int64
	grain int // of the form
	delim byte
	ended bool
}

func (p *partReader) read(b []byte) (int, error) {
	if p.buf != nil {
		return p.buf.Read(b)
	}
	return p.in.Read(b)
}

// skip leaves out what is left of the row before the first one.
func (p *partReader) skip() error {
	p.buf = bufio.NewReaderSize(p.in, 64<<10)
	for {
		b, err := p.buf.ReadSlice(p.delim)
		p.at += int64(len(b))
		switch {
		case err == nil:
			p.ended = p.at >= p.to
			return nil
		case err == io.EOF:
			p.ended = true
			return nil
		case err != bufio.ErrBufferFull:
			return err
		}
	}
}

// behead takes the heading off.
func (p *partReader) behead(h run.Heading, name string) error {
	in := &remembered{Reader: p.in}
	n, rest, err := h.Skip(in)
	if in.err != nil {
		return in.err
	}
	if err != nil {
		return DataError{fmt.Errorf("%s: %w", name, err)}
	}
	p.at = int64(n)
	p.buf = bufio.NewReader(io.MultiReader(bytes.NewReader(rest), p.in))
	p.ended = p.grain == 0 && p.at >= p.to
	return nil
}

// remembered keeps the error of a reader, but for its end.
type remembered struct {
	io.Reader
	err error
}

func (r *remembered) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != io.EOF {
		r.err = err
	}
	return n, err
}

// Read implements io.Reader.
func (p *partReader) Read(b []byte) (int, error) {
	if p.ended {
		return 0, io.EOF
	}
	if left := p.to - p.at; p.grain != 0 {
		if left <= 0 {
			p.ended = true
			return 0, io.EOF
		}
		b = b[:min(int64(len(b)), left)]
	}
	n, err := p.read(b)
	if before := p.to - 1 - p.at; p.grain == 0 && int64(n) > before {
		// The row that has byte to−1 is the last one.
		if i := bytes.IndexByte(b[max(0, before):n], p.delim); i >= 0 {
			n, p.ended, err = int(max(0, before))+i+1, true, nil
		}
	}
	p.at += int64(n)
	if g := int64(max(1, p.grain)); err == io.EOF && p.at%g != 0 {
		err = DataError{fmt.Errorf("%s has %d bytes, no multiple of the record's %d: %d are left over; is the length right?", p.name, p.at, g, p.at%g)}
	}
	return n, err
}

// Close implements io.Closer.
func (p *partReader) Close() error { return p.in.Close() }
