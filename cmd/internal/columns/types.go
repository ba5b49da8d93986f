package columns

import (
	"time"

	"github.com/gpusort/gpusort/internal/key/by"
)

// Type is as what the values of a column are written.
type Type uint8

// The types. Micros and Nanos are times without a zone, the other two are instants.
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

// timeFits is what a time leaves of fits: whether it names its zone, and in what unit it is told.
func timeFits(v by.Value, fits uint32) uint32 {
	if v.Zoned {
		fits &^= lacksZone
	} else {
		fits &^= lacksLocal
	}
	if v.Time.Nanosecond()%1000 != 0 {
		fits &^= lacksFine
	}
	if !InNanos(v.Time) {
		fits &^= fitsNanos
	}
	return fits
}

// InNanos reports whether a 64-bit number of nanoseconds since 1970 tells a time, as it does
// all of the years 1678 to 2261.
func InNanos(t time.Time) bool {
	y := t.Year()
	return 1678 <= y && y <= 2261
}
