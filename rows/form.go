package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/gpusort/gpusort/internal/run"
)

// Format tells rows apart and makes their keys, for NewForm. Several goroutines call it.
type Format interface {
	// Cut returns how many bytes of b are whole rows, delimiters included. It may return an
	// error if there are none, and more bytes would not make b begin with a row.
	Cut(b []byte) (int, error)
	// Split appends where each row of b ends. b holds whole rows, and at most 4 GiB.
	Split(b []byte, ends []uint32) []uint32
	// End returns what the last row lacks of an input that ends with b, which begins with a
	// row. An error is one of that last row, whose number in b, from 0, comes with it.
	End(b []byte) (more []byte, row int64, err error)
	// Delimiter is how many bytes at the end of each row are not compared.
	Delimiter() int
	// Encoder returns what appends the normalised key of a row without its delimiter, for one
	// goroutine: a byte string whose order is that of the rows. It is nil if rows are their own
	// keys.
	Encoder() func(dst, row []byte) ([]byte, error)
}

// Form is how the rows of a sort are written and ordered, for processes that share the sort. Each
// of them has the same Form. They sort shares of the inputs to runs, which Splitters cut into
// ranges, and merge one range of all runs:
//
//	form, err := s.Form(rows.CSV(head))
//	run, err := form.Run(ctx, parts, splitters, w)   // in many processes
//	merged, err := form.Merge(ctx, runs, out)        // in many processes
//
// Rows that tie are in the order of the files, and of a file in its own.
type Form struct {
	options run.Options
	heading run.Heading
	grain   int  // bytes of a row, 0 if rows end with a delimiter, −1 if a file cannot be divided
	delim   byte // that rows end with
	numbers bool // places are numbers of rows, not of bytes
}

// HeadBytes is how much of a file Form wants to see.
const HeadBytes = 256 << 10

// Form settles how rows like those of head are sorted. It has the first HeadBytes of the first
// file that has rows, or all of that file.
func (s *Sorter) Form(head Source) (*Form, error) {
	o, err := s.open([]Source{head}, HeadBytes)
	if err != nil {
		return nil, fmt.Errorf("rows: Form: %w", err)
	}
	defer o.close()
	if o.options.Unique {
		return nil, errors.New("rows: Form: Unique is not for sorts that processes share: rows that tie may lie in several ranges")
	}
	f := &Form{options: o.options, heading: o.heading, delim: head.delim}
	switch o.kind {
	case ofCSV:
		f.grain = -1
	case ofRecords:
		f.grain = s.records.Size
	}
	return f, nil
}

// NewForm is the form of rows of any format, which has no headings. Places of rows are their
// numbers. Options that say how rows are ordered have no effect: the format does.
func NewForm(format Format, options ...Option) (*Form, error) {
	s, err := New(options...)
	if err != nil {
		return nil, err
	}
	f := &Form{options: s.options, grain: -1, numbers: true}
	f.options.Format = format
	return f, nil
}

// Heading is what each file of the output begins with.
func (f *Form) Heading() []byte { return bytes.Clone(f.heading.First) }

// Divisible reports whether a file can be divided by bytes.
func (f *Form) Divisible() bool { return f.grain >= 0 }

// Compare compares splitters, as bytes.Compare does.
func (f *Form) Compare(a, b Splitter) int {
	if c := f.compare(a.Key, b.Key); c != 0 {
		return c
	}
	return a.place(b)
}

// compare compares keys.
func (f *Form) compare(a, b []byte) int {
	if f.options.Desc {
		return bytes.Compare(b, a)
	}
	return bytes.Compare(a, b)
}

// Keys are the keys of the whole rows that b begins with, each with the place in b that its row
// begins at; ended says that the input ends with b. Rows that are wrong are left out. A key
// holds until the next one is asked for.
func (f *Form) Keys(b []byte, ended bool) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		keys := f.keys()
		from := 0
		var key []byte
		b, ends := f.whole(b, ended)
		for _, end := range ends {
			var err error
			row := b[from:end]
			if key, err = keys(key[:0], row); err == nil && !yield(from, key) {
				return
			}
			from = int(end)
		}
	}
}

// whole returns the whole rows that b begins with, and where they end.
func (f *Form) whole(b []byte, ended bool) (rows []byte, ends []uint32) {
	cut, _ := f.options.Format.Cut(b)
	if ended && cut < len(b) {
		if more, _, err := f.options.Format.End(b); err == nil {
			b = append(b[:len(b):len(b)], more...)
			cut, _ = f.options.Format.Cut(b)
		}
	}
	return b[:cut], f.options.Format.Split(b[:cut], nil)
}

// keys returns what appends all that a row, with its delimiter, is compared by.
func (f *Form) keys() func(dst, row []byte) ([]byte, error) {
	encode, cut := f.options.Format.Encoder(), f.options.Format.Delimiter()
	return func(dst, row []byte) (_ []byte, err error) {
		row = row[:len(row)-cut]
		if encode == nil {
			return append(dst, row...), nil
		}
		if dst, err = encode(dst, row); err == nil && f.options.Tail {
			dst = append(dst, row...)
		}
		return dst, err
	}
}

// DataError is an error of the rows themselves, which another try will have, too.
type DataError struct{ error }

// Unwrap returns the error inside.
func (e DataError) Unwrap() error { return e.error }

// Part is rows of one file.
type Part struct {
	File int    // its number among all files of the sort
	Name string // of the file, for messages
	// From and To are places that no row of the part is before, or at or behind.
	From, To int64
	// Open returns the rows, and the place of the first one: the bytes of the file before it, or
	// of NewForm the rows.
	Open func() (r io.ReadCloser, at int64, err error)
}
