package run

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
)

// rowSum is what the rows of a file are, in any order: their number, and two sums of hashes with
// keys of this process's own.
type rowSum struct {
	rows uint64
	sums [2]uint64
}

var rowSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func (s *rowSum) add(row []byte) {
	s.rows++
	for i, seed := range rowSeeds {
		s.sums[i] += maphash.Bytes(seed, row)
	}
}

// read calls f with each row of a file, without its end.
func (f fileFormat) read(r io.Reader, each func(row []byte) error) error {
	const most = 1 << 20 // bytes of a row
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, most), most)
	if f.binary {
		in.Split(func(data []byte, end bool) (int, []byte, error) {
			switch {
			case len(data) >= 8:
				return 8, data[:8], nil
			case end && len(data) > 0:
				return 0, nil, fmt.Errorf("%d bytes behind the last row", len(data))
			}
			return 0, nil, nil
		})
	} else {
		in.Split(wholeLines)
	}
	for in.Scan() {
		if err := each(in.Bytes()); err != nil {
			return err
		}
	}
	return in.Err()
}

// wholeLines gives lines without their ends; a last one without an end is an error, since all
// rows are made with one.
func wholeLines(data []byte, end bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if end && len(data) > 0 {
		return 0, nil, errors.New("the last row has no end")
	}
	return 0, nil, nil
}

// check says what is wrong with an output whose rows must be those of want, in order.
func (f fileFormat) check(r io.Reader, want rowSum) error {
	var got rowSum
	var last []byte
	err := f.read(r, func(row []byte) error {
		if got.rows > 0 {
			ok, err := f.before(last, row)
			if err != nil {
				return fmt.Errorf("row %d: %w", got.rows+1, err)
			}
			if !ok {
				return fmt.Errorf("row %d is out of order", got.rows+1)
			}
		}
		got.add(row)
		last = append(last[:0], row...)
		return nil
	})
	switch {
	case err != nil:
		return err
	case got.rows != want.rows:
		return fmt.Errorf("%d rows came out, want %d", got.rows, want.rows)
	case got != want:
		return errors.New("not the same rows came out")
	}
	return nil
}
