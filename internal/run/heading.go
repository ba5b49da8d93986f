package run

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
)

// Mark is the mark of byte order, which text may begin with.
const Mark = "\xef\xbb\xbf"

// Heading is what inputs begin with and what is not sorted: a mark of byte order, and rows.
type Heading struct {
	Format Format // tells the rows apart
	Rows   int
	First  []byte // the one that all inputs must have, but for line ends and the mark
	Most   int    // bytes that it may have; 0: 16 MiB
}

// SampleBytes is how much of an input is looked at, or more where that is no whole row.
const SampleBytes = 256 << 10

func (h Heading) most() int { return cmp.Or(h.Most, 16<<20) }

// Of returns the heading that text begins with; whole text has nothing behind it. What the
// heading's last row lacks is added.
func (h Heading) Of(text []byte, whole bool) ([]byte, error) {
	n, rows := 0, 0
	if bytes.HasPrefix(text, []byte(Mark)) {
		n = len(Mark)
	}
	if h.Rows == 0 {
		return text[:n], nil
	}
	body := text[n:]
	cut, err := h.Format.Cut(body)
	if err != nil {
		return nil, err
	}
	for _, end := range h.Format.Split(body[:cut], nil) {
		if rows++; rows == h.Rows {
			return text[:n+int(end)], nil
		}
	}
	if !whole {
		return nil, longHeading(h.most())
	}
	more, _, err := h.Format.End(body)
	if err != nil {
		return nil, err
	}
	return append(text[:len(text):len(text)], more...), nil
}

// longHeading is the error for a heading that does not end within so many bytes.
type longHeading int

func (most longHeading) Error() string {
	return fmt.Sprintf("its heading is not whole within %d KiB: give --header 0 if it has none", int(most)>>10)
}

// Off is an input without its heading.
func (h Heading) Off(in Input, name string) Input {
	return func() (io.ReadCloser, error) {
		r, err := in()
		if err != nil {
			return nil, err
		}
		kept := false
		defer func() {
			if !kept {
				r.Close()
			}
		}()
		_, rest, err := h.Skip(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		kept = true
		return Behind(rest, r), nil
	}
}

// Skip reads the heading, and returns how many bytes it has and what was read behind it.
func (h Heading) Skip(r io.Reader) (n int, rest []byte, err error) {
	const step = 4096
	var text []byte
	for {
		from := len(text)
		text = append(text, make([]byte, max(step, from))...)
		n, err := io.ReadFull(r, text[from:])
		text = text[:from+n]
		whole := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !whole {
			return 0, nil, err
		}
		if len(text) == 0 {
			return 0, nil, nil
		}
		heading, err := h.Of(text, whole)
		if _, long := err.(longHeading); long && len(text) < h.most() {
			continue
		}
		if err == nil && h.Rows > 0 && !bytes.Equal(plain(heading), plain(h.First)) {
			err = fmt.Errorf("it begins with %.40q, and the first input with %.40q: give the files the same columns, or --header 0 if they have no headings",
				plain(heading), plain(h.First))
		}
		n = min(len(heading), len(text))
		return n, text[n:], err
	}
}

// plain is a heading without mark and ends of lines.
func plain(heading []byte) []byte {
	heading = bytes.ReplaceAll(bytes.TrimPrefix(heading, []byte(Mark)), []byte("\r\n"), []byte("\n"))
	return bytes.TrimSuffix(heading, []byte("\n"))
}

// OffAll takes the heading of the first input that is not empty off all of them, in their
// place. It returns the heading and some of the rows behind it. name is what messages call an
// input.
func (h Heading) OffAll(inputs []Input, name func(int) string) (first, sample []byte, err error) {
	for i := range inputs {
		var whole bool
		sample, whole, inputs[i], err = PeekUntil(inputs[i], SampleBytes, h.most(), func(head []byte) bool {
			_, err := h.Of(head, false)
			_, long := err.(longHeading)
			return !long
		})
		if err != nil {
			return nil, nil, err
		}
		if len(sample) == 0 {
			continue
		}
		if h.First, err = h.Of(sample, whole); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name(i), err)
		}
		for k := range inputs[i:] {
			inputs[i+k] = h.Off(inputs[i+k], name(i+k))
		}
		return h.First, sample[min(len(h.First), len(sample)):], nil
	}
	return nil, nil, nil
}

// Headed writes a heading before the first row.
type Headed struct {
	W     io.Writer
	First []byte // the heading, until it is written
}

// Write implements io.Writer.
func (h *Headed) Write(b []byte) (int, error) {
	if err := h.Begin(); err != nil {
		return 0, err
	}
	return h.W.Write(b)
}

// Begin writes the heading unless it is written.
func (h *Headed) Begin() error {
	first := h.First
	if h.First = nil; len(first) == 0 {
		return nil
	}
	_, err := h.W.Write(first)
	return err
}
