package columns

import (
	"fmt"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/key/csvkey"
)

// Text is rows of CSV that become columns. What is not said of the types is found while the rows
// are read: as a run.Format Text sees each of them before the first one is written.
type Text struct {
	*csvkey.Format
	Names []string
	said  []*by.Column // nil: to be found
	find  bool
	// What may be said of all values of a column so far, for those in quotes, too.
	seen    []atomic.Uint32
	settled atomic.Bool // rows are written, and nothing more is found
}

// NewText returns rows with the kinds that are said of columns, by place. Without find, columns
// of which none is said are text: for rows that are written before all are read.
func NewText(f *csvkey.Format, names []string, said map[int]by.Key, find bool) *Text {
	t := &Text{Format: f, Names: names, said: make([]*by.Column, len(names)), find: find, seen: make([]atomic.Uint32, len(names))}
	for i := range names {
		if k, ok := said[i]; ok {
			t.said[i] = by.NewColumn(k, false)
		} else if !find {
			t.said[i] = by.NewColumn(by.Key{Kind: by.Text}, false)
		}
		t.seen[i].Store(fitsAll)
	}
	return t
}

// Cells appends the texts of a row's fields, as many as there are columns; nil is a missing value.
func (t *Text) Cells(dst [][]byte, row []byte) ([][]byte, error) {
	dst, err := t.Fields(dst, row)
	switch {
	case err != nil:
		return dst, err
	case len(dst) == 1 && dst[0] == nil: // an empty line
		return append(dst, make([][]byte, len(t.Names)-1)...), nil
	case len(dst) != len(t.Names):
		return dst, fmt.Errorf("it has %d fields, and the table %d columns: write as many", len(dst), len(t.Names))
	}
	return dst, nil
}

// Encoder implements run.Format.
func (t *Text) Encoder() func(dst, row []byte) ([]byte, error) {
	encode := t.Format.Encoder()
	if !t.find {
		return encode
	}
	var cells [][]byte
	return func(dst, row []byte) (_ []byte, err error) {
		if !t.settled.Load() {
			if cells, err = t.Cells(cells[:0], row); err != nil {
				return dst, err
			}
			if err := t.see(cells); err != nil {
				return dst, err
			}
		}
		return encode(dst, row)
	}
}

// see takes the values of a row into account.
func (t *Text) see(cells [][]byte) error {
	for i, cell := range cells {
		if cell == nil {
			continue
		}
		left := t.seen[i].Load()
		fits := left
		switch c := t.said[i]; {
		case c == nil:
			fits = fitsOf(cell, left)
		case c.Kind == by.Text:
			fits = fitsOf(cell, fitsUTF8)
		default:
			v, ok := c.Value(cell)
			if !ok {
				return fmt.Errorf("column %s: %s is no %v", t.Names[i], by.Shorten(cell), c.Kind)
			}
			if c.Kind == by.Time && !v.Null {
				fits = timeFits(v, left)
			}
		}
		if left&^fits != 0 {
			t.seen[i].And(fits)
		}
	}
	return nil
}

// Column is how values of a column are read, and as what they are written. Once it was called, no
// further row counts.
func (t *Text) Column(i int) (*by.Column, Type) {
	t.settled.Store(true)
	c, seen := t.said[i], t.seen[i].Load()
	if c == nil {
		c = by.NewColumn(by.Key{Kind: foundKind(seen)}, false)
	}
	return c, typeOf(c, seen)
}
