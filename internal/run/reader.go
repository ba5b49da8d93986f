package run

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/internal/sys/mem"
)

// reader cuts inputs, one after another, into blocks of whole rows, each of one input.
type reader struct {
	ctx    context.Context
	format Format
	most   int // bytes that a row may have
	inputs []Input
	first  int // the number of the first of the inputs
	opened int // of the inputs
	open   io.ReadCloser
	file   *mem.Mapped // the rest of the input that is open, if it is mapped
	rest   []byte      // the beginning of a row whose end is still to be read
	bytes  int64       // read so far
	at     int64       // bytes of the input before the last block, and
	after  int64       // before the next one
}

// newReader makes a reader of inputs; first is the number of the first one.
func newReader(ctx context.Context, o Options, first int, inputs []Input) reader {
	return reader{ctx: ctx, format: o.Format, most: int(o.MostRow), inputs: inputs, first: first}
}

// emptyReads is how many reads in a row may bring nothing without an error.
const emptyReads = 100

// input is the number of the one that the last block is of.
func (r *reader) input() int { return r.first + r.opened - 1 }

// nextBlock is next, or, of a file that is mapped, so many bytes of it.
func (r *reader) nextBlock(buf []byte, size int) (rows, whole []byte, err error) {
	if r.file != nil {
		rows, err = r.nextOfFile(size)
		return rows, nil, err
	}
	return r.next(buf)
}

// next fills buf, or a longer one if a row is longer, with whole rows. It returns
// io.EOF behind the last block. The row of a RowError counts from the block's first.
func (r *reader) next(buf []byte) (rows, whole []byte, err error) {
	rows, whole, err = r.read(buf)
	r.at = r.after
	r.after += int64(len(rows))
	return rows, whole, err
}

func (r *reader) read(buf []byte) (rows, whole []byte, err error) {
	buf = buf[:cap(buf)]
	for len(buf) < twice(len(r.rest)) {
		buf = make([]byte, twice(cap(buf)))
	}
	n := copy(buf, r.rest)
	idle := 0
	r.rest = r.rest[:0]
	for {
		if err := r.ctx.Err(); err != nil {
			return nil, buf, err
		}
		if r.open == nil {
			if err := r.openNext(); err != nil {
				return nil, buf, err
			}
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
			if err := r.close(); err != nil {
				return nil, buf, err
			}
			if n == 0 {
				continue
			}
			more, row, err := r.format.End(buf[:n])
			if err != nil {
				return nil, buf, &RowError{r.input(), row + 1, err}
			}
			if n+len(more) > len(buf) {
				buf = append(buf[:n:n], make([]byte, max(len(buf), len(more)))...)
			}
			n += copy(buf[n:], more)
			return buf[:n], buf, nil
		case err != nil:
			return nil, buf, err
		}
		if n < len(buf) {
			continue
		}
		cut, err := r.format.Cut(buf)
		if cut > 0 {
			r.rest = append(r.rest, buf[cut:n]...)
			return buf[:cut], buf, nil
		}
		if err != nil {
			return nil, buf, &RowError{r.input(), 1, err}
		}
		more, err := r.grow(len(buf))
		if err != nil {
			return nil, buf, err
		}
		buf = append(buf, make([]byte, more-len(buf))...)
	}
}

// openNext opens the next input. It returns io.EOF if there is none.
func (r *reader) openNext() (err error) {
	if r.opened == len(r.inputs) {
		return io.EOF
	}
	if r.open, err = r.inputs[r.opened](); err != nil {
		return err
	}
	r.opened++
	r.after = 0
	return nil
}

// close ends the input that is open.
func (r *reader) close() error {
	if r.open == nil {
		return nil
	}
	open := r.open
	r.open = nil
	return open.Close()
}

// grow is the next size of a block that has no whole row in so many bytes.
func (r *reader) grow(block int) (int, error) {
	if block >= r.most {
		return 0, &RowError{r.input(), 1, fmt.Errorf("it has more than %d bytes, the most that a row may have here: rows may end in another way than was said", r.most)}
	}
	return min(twice(block), r.most), nil
}

// twice is twice as many bytes, as far as a block may have them.
func twice(block int) int { return block + min(block, mostRow-block) }

// errKeyTooLong is that of a row which itself is not too long.
var errKeyTooLong = errors.New("the row and its key are longer than 4 GiB: no sort takes that")
