package columns

import (
	"time"

	"github.com/gpusort/gpusort/internal/key/by"
)

// Type is as what the values of a column are written.
type Type uint8

// The types. Micros and Nanos are times of day without a zone, the other two are instants.
const (
	String Type = iota
	Binary
	Int64
	Uint64
	Float64
	Bool
	Date
	Micros
	Nanos
	UTCMicros
	UTCNanos
)

// typeOf is the type of a kind's values, of all of which seen is true.
func typeOf(c *by.Column, seen uint32) Type {
	switch c.Kind {
	case by.I64:
		return Int64
	case by.U64:
		return Uint64
	case by.F64:
		return Float64
	case by.Bool:
		return Bool
	case by.Date:
		return Date
	case by.Time:
		t := Micros
		if seen&lacksFine == 0 {
			t = Nanos
		}
		if seen&lacksZone == 0 || c.Zone != nil {
			t += UTCMicros - Micros
		}
		return t
	}
	if seen&fitsUTF8 == 0 {
		return Binary
	}
	return String
}

// Value is one of a column.
type Value struct {
	Null  bool // blanks alone
	Int   int64
	Uint  uint64
	Float float64
	Bool  bool
	Time  time.Time
	Zoned bool // Time says its zone
}

// ValueOf reads a value of a column that has a kind other than text.
func ValueOf(c *by.Column, text []byte) (v Value, ok bool) {
	if by.Blank(text) {
		return Value{Null: true}, true
	}
	switch c.Kind {
	case by.I64, by.Date:
		v.Int, ok = c.Integer(text)
	case by.U64:
		v.Uint, ok = by.Unsigned(text)
	case by.F64:
		v.Float, ok = by.Float(text)
	case by.Bool:
		v.Bool, ok = by.Truth(text)
	case by.Time:
		v.Time, v.Zoned, ok = c.Moment(text)
	}
	return v, ok
}

// fits is what is true of a value that is said to be a time.
func (v Value) fits() uint32 {
	fits := fitsAll
	if v.Zoned {
		fits &^= lacksZone
	}
	if v.Time.Nanosecond()%1000 != 0 {
		fits &^= lacksFine
	}
	return fits
}
