package rows

import (
	"errors"
	"io"
)

// A sample reads so many bytes at a time, and ends before a row that is longer than longestRow.
const sampleBlock, longestRow = 256 << 10, 16 << 20

// Sample reads a part from its beginning to its end. It returns some of the rows, evenly spaced:
// most of them or up to twice as many, if there are so many; and the bytes of all rows. Rows that
// are wrong are left out.
func (f *Form) Sample(p Part, most int) (all []Splitter, size int64, err error) {
	in, at, err := p.Open()
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	s := sampling{most: max(1, most), every: 1}
	keys := f.keys()
	b, n := make([]byte, sampleBlock), 0
	for begin, ended := at, false; !ended; {
		k, err := io.ReadFull(in, b[n:])
		if n += k; err != nil {
			if ended = err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF); !ended {
				return nil, 0, err
			}
		}
		size += int64(k)
		rows, ends := f.whole(b[:n], ended)
		from := 0
		for _, end := range ends {
			if s.takes() {
				if key, err := keys(nil, rows[from:end]); err == nil {
					s.take(Splitter{Key: key, File: p.File, At: begin + int64(from)})
				}
			}
			from = int(end)
		}
		if from == 0 && !ended {
			if n >= longestRow {
				break
			}
			b = append(b, make([]byte, len(b))...)
			continue
		}
		from = min(from, n)
		begin += int64(from)
		n = copy(b, b[from:n])
	}
	return s.all, size, nil
}

// sampling keeps one row of every so many: fewer than twice as many as are wanted.
type sampling struct {
	most, every, row int
	all              []Splitter
}

// takes tells whether the next row is one.
func (s *sampling) takes() bool {
	s.row++
	return (s.row-1)%s.every == 0
}

func (s *sampling) take(p Splitter) {
	if s.all = append(s.all, p); len(s.all) < 2*s.most {
		return
	}
	for i := range s.most {
		s.all[i] = s.all[2*i]
	}
	s.all, s.every = s.all[:s.most], 2*s.every
}
