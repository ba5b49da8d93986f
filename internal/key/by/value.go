package by

import (
	"strconv"
	"time"
)

// Blank reports whether text is blanks alone, which count as a missing value but in texts.
func Blank(text []byte) bool { return len(trim(text)) == 0 }

// Integer is a value of I64, or the days since 1970 of Date.
func (c *Column) Integer(text []byte) (v int64, ok bool) { return c.integer(trim(text)) }

// Unsigned is a value of U64.
func Unsigned(text []byte) (v uint64, ok bool) {
	v, err := strconv.ParseUint(str(trim(text)), 10, 64)
	return v, err == nil
}

// Float is a value of F64.
func Float(text []byte) (v float64, ok bool) {
	v, err := strconv.ParseFloat(str(trim(text)), 64)
	return v, err == nil
}

// Truth is a value of Bool.
func Truth(text []byte) (v, ok bool) { return truth(trim(text)) }

// Moment is a value of Time; zoned says that it names its zone.
func (c *Column) Moment(text []byte) (t time.Time, zoned, ok bool) {
	text = trim(text)
	if c.Layout == "" {
		return isoTime(text, c.Zone)
	}
	t, ok = c.time(text)
	return t, ok && zoneIn(c.Layout), ok
}

// zoneIn reports whether a zone is in a layout.
func zoneIn(layout string) bool {
	clock := func(zone *time.Location) string { return time.Date(2001, 2, 3, 4, 5, 6, 0, zone).Format(layout) }
	return clock(time.UTC) != clock(time.FixedZone("X", 3600))
}
