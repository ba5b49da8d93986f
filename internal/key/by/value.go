package by

import (
	"strconv"
	"time"
)

// Value is one of a column of I64, U64, F64, Bool, Date or Time, in the field of its kind.
type Value struct {
	Null  bool  // blanks alone
	Int   int64 // of Date the days since 1970
	Uint  uint64
	Float float64
	Bool  bool
	Time  time.Time
	Zoned bool // Time names its zone
}

// Value reads the value that text is; ok is false if it is none of the column's kind.
func (c *Column) Value(text []byte) (v Value, ok bool) {
	if text = trim(text); len(text) == 0 {
		return Value{Null: true}, true
	}
	switch c.Kind {
	case I64, Date:
		v.Int, ok = c.integer(text)
	case U64:
		v.Uint, ok = unsigned(text)
	case F64:
		v.Float, ok = float(text)
	case Bool:
		v.Bool, ok = truth(text)
	case Time:
		v.Time, v.Zoned, ok = c.time(text)
	}
	return v, ok
}

// integer is a whole number, or the days of a date since 1970.
func (c *Column) integer(text []byte) (int64, bool) {
	switch {
	case c.Kind == I64:
		v, err := strconv.ParseInt(str(text), 10, 64)
		return v, err == nil
	case c.Layout == "":
		days, rest, ok := isoDate(text)
		return int64(days), ok && len(rest) == 0
	}
	t, err := time.Parse(c.Layout, str(text))
	return int64(floor(int(t.Unix()), 86400)), err == nil
}

func unsigned(text []byte) (uint64, bool) {
	v, err := strconv.ParseUint(str(text), 10, 64)
	return v, err == nil
}

// float is the nearest one: digits are rounded, what is too small is 0, and what is too large none.
func float(text []byte) (float64, bool) {
	v, err := strconv.ParseFloat(str(text), 64)
	return v, err == nil
}

// time reads a time; zoned says that it names its zone.
func (c *Column) time(text []byte) (t time.Time, zoned, ok bool) {
	if c.Layout == "" {
		return isoTime(text, c.Zone)
	}
	t, err := time.ParseInLocation(c.Layout, str(text), c.layoutZone)
	return t, c.layoutZoned, err == nil
}

// zoneIn reports whether a zone is in a layout.
func zoneIn(layout string) bool {
	clock := func(zone *time.Location) string { return time.Date(2001, 2, 3, 4, 5, 6, 0, zone).Format(layout) }
	return clock(time.UTC) != clock(time.FixedZone("X", 3600))
}

// truth reads true, t, yes, y and 1, and their opposites.
func truth(text []byte) (v, ok bool) {
	switch {
	case is(text, "true"), is(text, "t"), is(text, "yes"), is(text, "y"), is(text, "1"):
		return true, true
	case is(text, "false"), is(text, "f"), is(text, "no"), is(text, "n"), is(text, "0"):
		return false, true
	}
	return false, false
}
