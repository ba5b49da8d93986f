// Package csvkey makes normalised keys of the rows of CSV and TSV, and finds out how they are
// written. Rows are as RFC 4180 has them: a field may be in quotes, with separators and
// line breaks in it, and two quotes for one. They end with LF or CRLF.
//
// A row is sorted as it is written. Its heading is no row.
package csvkey

import (
	"bytes"
	"fmt"

	"github.com/gpusort/gpusort/internal/key/by"
)

// Format is rows of CSV with the columns that order them.
type Format struct {
	separator byte
	newline   []byte
	longest   int      // bytes from a quote to the one that closes it, about
	columns   []Column // in the order of keys
	wants     []want   // in the order of rows' fields
}

// Column is one of those that order rows.
type Column struct {
	*by.Column
	Place int    // among the fields of a row, from 0
	Title string // for messages
}

// want is a field and the key that it is.
type want struct{ place, key int }

// Cut returns how many bytes of b are whole rows.
func (f *Format) Cut(b []byte) (int, error) {
	whole, open := cut(b, f.separator)
	if whole == 0 && open >= 0 && len(b) >= f.longest {
		return 0, fmt.Errorf("no quote closes %s within %d MiB: %s", by.Shorten(b[open:]), f.longest>>20, quoting)
	}
	return whole, nil
}

const quoting = "a quote that is meant within a field is written twice, and the field in quotes"

// Split appends where each row of b ends.
func (f *Format) Split(b []byte, ends []uint32) []uint32 { return split(b, f.separator, ends) }

// End returns the line break that the last row of an input lacks.
func (f *Format) End(b []byte) (more []byte, row int64, err error) {
	whole, open := cut(b, f.separator)
	switch {
	case open >= 0:
		rows := len(f.Split(b[:whole], nil))
		return nil, int64(rows), fmt.Errorf("no quote closes %s: %s", by.Shorten(b[open:]), quoting)
	case whole < len(b):
		return f.newline, 0, nil
	}
	return nil, 0, nil
}

// Delimiter is the length of a line break; a CR before it is left to keys.
func (f *Format) Delimiter() int { return 1 }

// Encoder returns what makes keys, for one goroutine.
func (f *Format) Encoder() func(dst, row []byte) ([]byte, error) {
	e := encoder{Format: f, found: make([][]byte, len(f.columns))}
	return e.append
}

// encoder makes the keys of rows.
type encoder struct {
	*Format
	found [][]byte // what of a row is each key
	text  []byte   // of fields in quotes that have quotes in them
}

func (e *encoder) append(dst, row []byte) (_ []byte, err error) {
	if row = bytes.TrimSuffix(row, []byte{'\r'}); len(row) == 0 {
		for _, c := range e.columns {
			dst = c.AppendNull(dst)
		}
		return dst, nil
	}
	if err := e.find(row); err != nil {
		return dst, err
	}
	for i, text := range e.found {
		c := &e.columns[i]
		if len(text) == 0 {
			dst = c.AppendNull(dst)
		} else if dst, err = c.Append(dst, text, i == len(e.found)-1); err != nil {
			return dst, fmt.Errorf("column %s: %w", c.Title, err)
		}
	}
	return dst, nil
}

// find finds the fields that are keys.
func (e *encoder) find(row []byte) error {
	e.text = e.text[:0]
	at, i, w := 0, 0, 0
	for ; at <= len(row); i++ {
		wanted := w < len(e.wants)
		if !wanted && bytes.IndexByte(row[at:], '\n') < 0 {
			return nil
		}
		// Of a row of several lines all is read, in case that a stray quote made it one.
		text, next, err := field(row, at, e.separator)
		if err != nil {
			return fmt.Errorf("field %d: %w", i+1, err)
		}
		at = next
		if !wanted || e.wants[w].place != i {
			continue
		}
		if len(text) > 0 && text[0] == quote {
			text = e.unquote(text[1 : len(text)-1])
		}
		for ; w < len(e.wants) && e.wants[w].place == i; w++ {
			e.found[e.wants[w].key] = text
		}
	}
	if w < len(e.wants) {
		c := e.columns[e.wants[w].key]
		return fmt.Errorf("its last field is number %d, and column %s is number %d: add what it lacks", i, c.Title, c.Place+1)
	}
	return nil
}

// field returns the field that begins at at, with its quotes, and where the next one begins:
// beyond the row if none does.
func field(row []byte, at int, separator byte) (text []byte, next int, err error) {
	if at == len(row) || row[at] != quote {
		end := index(row, at, separator)
		return row[at:end], end + 1, nil
	}
	end := closing(row, at+1)
	switch {
	case end < 0:
		return nil, 0, fmt.Errorf("no quote closes %s: %s", by.Shorten(row[at:]), quoting)
	case end < len(row) && row[end] != separator:
		return nil, 0, fmt.Errorf("behind the closing quote of %s comes %q, no separator: %s", by.Shorten(row[at:end]), row[end], quoting)
	}
	return row[at:end], end + 1, nil
}

// unquote returns what stands within quotes, with one quote for two.
func (e *encoder) unquote(text []byte) []byte {
	i := bytes.IndexByte(text, quote)
	if i < 0 {
		return text
	}
	begin := len(e.text)
	for ; i >= 0; i = bytes.IndexByte(text, quote) {
		e.text = append(e.text, text[:i+1]...)
		text = text[i+2:]
	}
	e.text = append(e.text, text...)
	return e.text[begin:]
}
