// Package jsonkey makes normalised keys of JSON Lines: rows of one JSON value each. Paths
// lead to what orders them. A row is sorted as it is written.
//
// Where no kind is given, values are in the order false < true < numbers < strings < arrays
// < objects: numbers by their exact value, strings by their bytes in UTF-8, arrays and
// objects by the bytes they are written in. Null is a missing value, and so is what a path
// does not lead to.
package jsonkey

import (
	"bytes"
	"fmt"

	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/key/linekey"
)

// Format is rows of JSON with the paths that order them.
type Format struct {
	linekey.Lines
	Keys    []by.Key
	columns []column
	root    *node
}

// column makes the keys of one path.
type column struct {
	title         string
	any           bool // values of any kind
	value         *by.Column
	number, text  *by.Column // of any kind
	missing, flip byte       // of any kind: the first byte
}

// New returns the format for keys.
func New(keys []by.Key) *Format {
	f := &Format{Lines: linekey.Lines{Delim: '\n'}, Keys: keys, root: &node{}}
	for i, k := range keys {
		f.root.add(k.Path, i)
		c := column{title: k.Name, any: k.Kind == by.Guess}
		if !c.any {
			c.value = by.NewColumn(k, false)
		} else {
			number, text := k, k
			number.Kind, text.Kind = by.Number, by.Text
			c.number, c.text = by.NewColumn(number, false), by.NewColumn(text, false)
			if !k.NullsFirst {
				c.missing = 0xff
			}
			if k.Desc {
				c.flip = 0xff
			}
		}
		f.columns = append(f.columns, c)
	}
	return f
}

// Encoder returns what makes keys, for one goroutine.
func (f *Format) Encoder() func(dst, row []byte) ([]byte, error) {
	s := &scanner{found: make([][]byte, len(f.columns))}
	return func(dst, row []byte) (_ []byte, err error) {
		if err := s.line(row, f.root); err != nil {
			return dst, err
		}
		for i, value := range s.found {
			c := &f.columns[i]
			if dst, err = c.append(dst, value, i == len(s.found)-1); err != nil {
				return dst, fmt.Errorf("%s: %w", c.title, err)
			}
		}
		return dst, nil
	}
}

// The ranks of kinds, which are first bytes of keys: between those of missing values.
const (
	rankFalse = 0x40 + iota
	rankTrue
	rankNumber
	rankString
	rankArray
	rankObject
)

// append appends the key of a value as it is written, nil if it is missing.
func (c *column) append(dst, value []byte, last bool) ([]byte, error) {
	missing := len(value) == 0 || value[0] == 'n'
	if !c.any {
		if missing {
			return c.value.AppendNull(dst), nil
		}
		return c.value.Append(dst, text(value), last)
	}
	if missing {
		return append(dst, c.missing), nil
	}
	switch value[0] {
	case 'f':
		return append(dst, rankFalse^c.flip), nil
	case 't':
		return append(dst, rankTrue^c.flip), nil
	case '"':
		return c.text.Append(append(dst, rankString^c.flip), text(value), last)
	case '[':
		return c.text.Append(append(dst, rankArray^c.flip), value, last)
	case '{':
		return c.text.Append(append(dst, rankObject^c.flip), value, last)
	}
	return c.number.Append(append(dst, rankNumber^c.flip), value, last)
}

// text is the text of a string, and any other value as it is written.
func text(value []byte) []byte {
	switch {
	case value[0] != '"':
		return value
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1]
	}
	return unescape(value)
}
