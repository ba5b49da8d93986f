package by

import "time"

// digits reads n digits.
func digits(s []byte, n int) (v int, ok bool) {
	if len(s) < n {
		return 0, false
	}
	for _, c := range s[:n] {
		d := int(c) - '0'
		if uint(d) > 9 {
			return 0, false
		}
		v = v*10 + d
	}
	return v, true
}

// pair reads two digits of a value below limit.
func pair(s []byte, limit int) (v int, ok bool) {
	v, ok = digits(s, 2)
	return v, ok && v < limit
}

var monthDays = [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// isoDate reads YYYY-MM-DD at the beginning of s: days since 1970.
func isoDate(s []byte) (days int, rest []byte, ok bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return 0, nil, false
	}
	y, a := digits(s, 4)
	m, b := digits(s[5:], 2)
	d, c := digits(s[8:], 2)
	if !a || !b || !c || m < 1 || m > 12 || d < 1 {
		return 0, nil, false
	}
	most := monthDays[m-1]
	if m == 2 && y%4 == 0 && (y%100 != 0 || y%400 == 0) {
		most++
	}
	if d > most {
		return 0, nil, false
	}
	// Years that begin in March end with the leap day.
	if m -= 3; m < 0 {
		m += 12
		y--
	}
	const from0 = 719468 // days from 0000-03-01 to 1970-01-01
	return 365*y + floor(y, 4) - floor(y, 100) + floor(y, 400) + (153*m+2)/5 + d - 1 - from0, s[10:], true
}

// floor is a/b rounded down. b is positive.
func floor(a, b int) int {
	if a < 0 {
		a -= b - 1
	}
	return a / b
}

// isoTime reads a date, then perhaps T or a blank and a time of day: HH:MM, seconds, their
// fraction, and Z or ±HH, ±HHMM or ±HH:MM. Without such an offset, named is false, and the time
// is one of zone.
func isoTime(s []byte, zone *time.Location) (t time.Time, named, ok bool) {
	days, s, ok := isoDate(s)
	if !ok {
		return time.Time{}, false, false
	}
	seconds, nanos := 0, 0
	if len(s) > 0 {
		if s[0] != 'T' && s[0] != 't' && s[0] != ' ' || len(s) < 6 || s[3] != ':' {
			return time.Time{}, false, false
		}
		h, a := pair(s[1:], 24)
		m, b := pair(s[4:], 60)
		if !a || !b {
			return time.Time{}, false, false
		}
		seconds, s = h*3600+m*60, s[6:]
		if len(s) > 0 && s[0] == ':' {
			sec, ok := pair(s[1:], 61)
			if !ok {
				return time.Time{}, false, false
			}
			seconds += sec
			if nanos, s, ok = fraction(s[3:]); !ok {
				return time.Time{}, false, false
			}
		}
	}
	offset, named, ok := isoOffset(s)
	if !ok {
		return time.Time{}, false, false
	}
	t = time.Unix(int64(days)*86400+int64(seconds-offset), int64(nanos)).UTC()
	if !named && zone != nil {
		y, mo, d := t.Date()
		h, mi, sec := t.Clock()
		t = time.Date(y, mo, d, h, mi, sec, nanos, zone)
	}
	return t, named, true
}

// fraction reads a point or a comma and digits, of which nine count.
func fraction(s []byte) (nanos int, rest []byte, ok bool) {
	if len(s) == 0 || s[0] != '.' && s[0] != ',' {
		return 0, s, true
	}
	i, unit := 1, 100_000_000
	for ; i < len(s) && s[i]-'0' < 10; i++ {
		nanos += int(s[i]-'0') * unit
		unit /= 10
	}
	return nanos, s[i:], i > 1
}

// isoOffset reads what a time of day ends with: seconds east of Greenwich.
func isoOffset(s []byte) (seconds int, named, ok bool) {
	switch {
	case len(s) == 0:
		return 0, false, true
	case len(s) == 1 && (s[0] == 'Z' || s[0] == 'z'):
		return 0, true, true
	case s[0] != '+' && s[0] != '-':
		return 0, false, false
	}
	h, ok := pair(s[1:], 24)
	if !ok {
		return 0, false, false
	}
	m := 0
	if rest := s[3:]; len(rest) > 0 {
		if rest[0] == ':' {
			rest = rest[1:]
		}
		if m, ok = pair(rest, 60); !ok || len(rest) != 2 {
			return 0, false, false
		}
	}
	if seconds = h*3600 + m*60; s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true, true
}
