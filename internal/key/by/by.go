// Package by reads what --by says: the columns that the rows of a table are ordered by.
// It knows nothing of files. What a column's text is as a normalised key says Column.
//
//	keys  = key { "," key }
//	key   = name { ":" word }
//	name  = a column's name, or its number from 1
//	word  = number | i64 | u64 | f64 | text | bool | date[=layout] | time[=layout] | zone=name
//	      | asc | desc | first | last
//
// Within double quotes a comma, a colon, a dot and digits have no meaning of their own; two
// quotes stand for one. A layout is as strftime(3) has it, %d.%m.%Y, or as package time
// has it, 02.01.2006.
package by

import (
	"time"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/schema"
)

// Kind is how the values of a column are compared.
type Kind uint8

// The kinds, which are words of the grammar but for Guess.
const (
	Guess  Kind = iota // no word says it: the file's schema does, or its first values
	Number             // decimal numbers of any length, by value
	I64
	U64
	F64
	Text // by bytes
	Bool // false before true
	Date
	Time
)

var kindNames = [...]string{"guess", "number", "i64", "u64", "f64", "text", "bool", "date", "time"}

// String returns the word.
func (k Kind) String() string { return kindNames[k] }

// Key is one of the columns.
type Key struct {
	Name   string   // as it was written, without quotes
	Path   []string // Name, divided at the dots that were outside of quotes
	Number int      // of the column, from 1, if it was written so; else 0
	Kind   Kind
	Desc   bool
	// NullsFirst puts missing values before all others, in either direction; else they are
	// behind them.
	NullsFirst bool
	NaNLast    bool           // NaN is behind +inf in ascending order, not before −inf
	Layout     string         // of Date and Time, as package time has it; none: ISO 8601
	Zone       *time.Location // of times that do not name theirs; nil: UTC
}

// Column is the schema's column for values of a kind, with the direction of k and its places
// of nulls and NaN. Without those of the table, t is key.U8.
func (k Key) Column(kind schema.Kind, t key.Type) schema.Column {
	return schema.Column{Kind: kind, Type: t, Order: key.Order{Desc: k.Desc, NaNLast: k.NaNLast, EqualZeros: true}, Nullable: true, NullsLast: !k.NullsFirst}
}
