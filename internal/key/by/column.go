package by

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/schema"
)

// Column makes normalised keys of a column's values that are text. Any number of goroutines
// may use it.
//
// A byte comes first: it puts missing values in their place, and beside them, on the side of
// the others, text that is no value of the column's kind.
type Column struct {
	Key
	Guessed     bool // the kind is
	null        byte // the first bytes
	odd         byte
	value       byte
	nans        byte // of Number
	col, text   schema.Column
	layoutZone  *time.Location
	layoutZoned bool                   // times of the layout name their zone
	first       atomic.Pointer[string] // of what Odd returns
}

// NewColumn makes the column of a key whose kind is settled.
func NewColumn(k Key, guessed bool) *Column {
	c := &Column{Key: k, Guessed: guessed, odd: 1, layoutZone: k.Zone, nans: nanFirst}
	if c.value, c.null = 0, 2; k.NullsFirst {
		c.value, c.null = 2, 0
	}
	if k.NaNLast {
		c.nans = nanLast
	}
	if c.layoutZone == nil {
		c.layoutZone = time.UTC
	}
	kind, typ := schema.Bytes, key.U8
	switch k.Kind {
	case I64, Date:
		kind, typ = schema.Number, key.I64
	case U64:
		kind, typ = schema.Number, key.U64
	case F64:
		kind, typ = schema.Number, key.F64
	case Bool:
		kind = schema.Bool
	case Time:
		kind, c.layoutZoned = schema.Time, k.Layout != "" && zoneIn(k.Layout)
	}
	c.col, c.text = k.Column(kind, typ), k.Column(schema.Bytes, key.U8)
	c.col.Nullable, c.text.Nullable = false, false
	return c
}

// AppendNull appends the key of a missing value.
func (c *Column) AppendNull(dst []byte) []byte { return append(dst, c.null) }

// Append appends the key of the value that text is. No other column follows the last. Text
// that is no value of the column's kind is an error, with which dst is as it was; if the kind is
// a guess, it has its place beside missing values, by its bytes. Blanks around values count
// in text alone; of other kinds, blanks alone are a missing value.
func (c *Column) Append(dst, text []byte, last bool) ([]byte, error) {
	dst, ok := c.append(dst, text, last)
	switch {
	case ok:
		return dst, nil
	case len(trim(text)) == 0: // Text has taken its own
		return c.AppendNull(dst), nil
	case c.Guessed:
		if c.first.Load() == nil {
			s := string(text)
			c.first.CompareAndSwap(nil, &s)
		}
		return c.text.Append(append(dst, c.odd), unsafe.Pointer(&text), last), nil
	}
	as := ""
	switch {
	case c.Layout != "":
		as = " as " + c.Layout
	case c.Kind == Date:
		as = " as 2026-01-31"
	case c.Kind == Time:
		as = " as 2026-01-31T12:34:56Z"
	}
	return dst, fmt.Errorf("%s is no %v%s", Shorten(text), c.Kind, as)
}

// Odd returns one of the texts that were no values of the guessed kind.
func (c *Column) Odd() (text string, any bool) {
	if s := c.first.Load(); s != nil {
		return *s, true
	}
	return "", false
}

// append returns dst as it was and false if text is no value.
func (c *Column) append(dst, text []byte, last bool) ([]byte, bool) {
	begin := len(dst)
	dst = append(dst, c.value)
	if c.Kind == Text {
		return c.text.Append(dst, unsafe.Pointer(&text), last), true
	}
	text = trim(text)
	ok := false
	switch c.Kind {
	case Number:
		if dst, ok = appendNumber(dst, text, c.nans); ok && c.Desc {
			complement(dst[begin+1:])
		}
	case I64, Date:
		var v int64
		if v, ok = c.integer(text); ok {
			dst = c.col.Append(dst, unsafe.Pointer(&v), last)
		}
	case U64:
		var v uint64
		if v, ok = unsigned(text); ok {
			dst = c.col.Append(dst, unsafe.Pointer(&v), last)
		}
	case F64:
		var v float64
		if v, ok = float(text); ok {
			dst = c.col.Append(dst, unsafe.Pointer(&v), last)
		}
	case Bool:
		var v bool
		if v, ok = truth(text); ok {
			dst = c.col.Append(dst, unsafe.Pointer(&v), last)
		}
	case Time:
		var t time.Time
		if t, _, ok = c.time(text); ok {
			dst = c.col.Append(dst, unsafe.Pointer(&t), last)
		}
	}
	if !ok {
		dst = dst[:begin]
	}
	return dst, ok
}

// trim is text without the blanks around it.
func trim(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	for n := len(text); n > 0 && (text[n-1] == ' ' || text[n-1] == '\t'); n-- {
		text = text[:n-1]
	}
	return text
}

// str is b as a string that lasts no longer than b.
func str(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Shorten quotes text for a message, at most the beginning of it.
func Shorten(text []byte) string {
	const most = 40
	if len(text) > most {
		return fmt.Sprintf("%.*q…", most, text)
	}
	return strconv.Quote(string(text))
}
