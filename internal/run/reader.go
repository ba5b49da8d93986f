package run

import (
	"context"
	"errors"
	"io"
)

// reader cuts inputs, one after another, into blocks of whole rows.
type reader struct {
	ctx    context.Context
	format Format
	inputs []Input
	open   io.ReadCloser
	rest   []byte // the beginning of a row whose end is still to be read
	bytes  int64  // read so far
}

// emptyReads is how many reads in a row may bring nothing without an error.
const emptyReads = 100

// next fills buf, or a longer one if a row is longer, with whole rows. It returns
// io.EOF behind the last block.
func (r *reader) next(buf []byte) (rows, whole []byte, err error) {
	buf = buf[:cap(buf)]
	for len(buf) < 2*len(r.rest) {
		buf = make([]byte, 2*cap(buf))
	}
	n := copy(buf, r.rest)
	ended, idle := 0, 0 // up to ended, rows are whole
	r.rest = r.rest[:0]
	for {
		if err := r.ctx.Err(); err != nil {
			return nil, buf, err
		}
		if r.open == nil {
			if len(r.inputs) == 0 {
				if n == 0 {
					return nil, buf, io.EOF
				}
				return buf[:n], buf, nil
			}
			if r.open, err = r.inputs[0](); err != nil {
				return nil, buf, err
			}
			r.inputs = r.inputs[1:]
		}
		k, err := r.open.Read(buf[n:])
		n += k
		r.bytes += int64(k)
		if idle++; k > 0 {
			idle = 0
		} else if err == nil && idle >= emptyReads {
			err = io.ErrNoProgress
		}
		switch {
		case err == io.EOF:
			err := r.open.Close()
			if r.open = nil; err != nil {
				return nil, buf, err
			}
			if more := r.format.End(buf[ended:n]); len(more) > 0 {
				if n+len(more) > len(buf) {
					buf = append(buf[:n:n], make([]byte, max(len(buf), len(more)))...)
				}
				n += copy(buf[n:], more)
			}
			ended = n
		case err != nil:
			return nil, buf, err
		}
		if n < len(buf) {
			continue
		}
		if cut := ended + r.format.Cut(buf[ended:n]); cut > 0 {
			r.rest = append(r.rest, buf[cut:n]...)
			return buf[:cut], buf, nil
		}
		buf = append(buf, make([]byte, len(buf))...)
	}
}

// close ends the input that is open.
func (r *reader) close() error {
	if r.open == nil {
		return nil
	}
	err := r.open.Close()
	r.open = nil
	return err
}

var errRowTooLong = errors.New("a row is longer than 4 GiB: no sort takes that")
