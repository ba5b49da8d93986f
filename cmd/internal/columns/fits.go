package columns

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/gpusort/gpusort/internal/key/by"
)

// What may be true of all values of a column.
const (
	fitsInt uint32 = 1 << iota
	fitsUint
	fitsFloat
	fitsBool
	fitsDate
	fitsTime
	fitsNanos // a 64-bit number of nanoseconds since 1970 tells the time
	fitsUTF8
	lacksAny           // there is no value
	lacksDigits        // of numbers all are inf or nan
	lacksZone          // no time says its zone
	lacksLocal         // every time says its zone
	lacksFine          // microseconds tell all times
	fitsAll     uint32 = 1<<iota - 1
)

// fitsTyped are those of types other than text.
const fitsTyped = fitsInt | fitsUint | fitsFloat | fitsBool | fitsDate | fitsTime

// foundKind is the kind of all values: a type that gives back each of them.
func foundKind(seen uint32) by.Kind {
	switch {
	case seen&lacksAny != 0:
	case seen&fitsInt != 0:
		return by.I64
	case seen&fitsUint != 0:
		return by.U64
	case seen&fitsFloat != 0 && seen&lacksDigits == 0:
		return by.F64
	case seen&fitsBool != 0:
		return by.Bool
	case seen&fitsDate != 0:
		return by.Date
	case seen&fitsTime == 0, seen&(lacksZone|lacksLocal) == 0, seen&(lacksFine|fitsNanos) == 0:
	default:
		return by.Time
	}
	return by.Text
}

// fitsOf is what is true of a value, as far as it is asked for.
func fitsOf(b []byte, asked uint32) uint32 {
	fits := fitsAll &^ (fitsTyped | fitsNanos | lacksAny)
	if asked&fitsTyped != 0 && len(b) > 0 {
		switch c := b[0]; {
		case c-'0' < 10 && len(b) >= 10 && b[4] == '-':
			fits = dayFits(b, fits)
		case c-'0' < 10, c == '-', c == '.':
			fits = numberFits(b, fits)
		case len(b) <= len("infinity"):
			fits = wordFits(b, fits)
		}
	}
	if fits&fitsTyped == 0 && !utf8.Valid(b) {
		fits &^= fitsUTF8
	}
	return fits
}

// wordFits adds what words are.
func wordFits(b []byte, fits uint32) uint32 {
	is := func(word string) bool { return len(b) == len(word) && bytes.EqualFold(b, []byte(word)) }
	switch {
	case is("true"), is("false"):
		fits |= fitsBool
	case is("nan"), is("inf"), is("infinity"):
		fits |= fitsFloat
	}
	return fits
}

// numberFits adds what a decimal number is, if types give it back: not one with zeros before it,
// nor a plus.
func numberFits(b []byte, fits uint32) uint32 {
	if b[0] == '-' && len(b) > 1 && b[1] > '9' {
		return wordFits(b[1:], fits) &^ fitsBool
	}
	digits := bytes.TrimPrefix(b, []byte("-"))
	whole := count(digits)
	if len(digits) == 0 || whole > 1 && digits[0] == '0' {
		return fits
	}
	fits &^= lacksDigits
	if whole == len(digits) && whole > 0 {
		return wholeFits(b, digits, fits)
	}
	rest := digits[whole:]
	if rest[0] == '.' {
		n := count(rest[1:])
		if n == 0 {
			return fits
		}
		whole, rest = whole+n, rest[1+n:]
	}
	switch {
	case whole == 0, len(rest) > 0 && !exponent(rest), (whole > 15 || len(rest) > 0) && !comesBack(b):
		return fits
	}
	return fits | fitsFloat
}

// wholeFits adds what a whole number is.
func wholeFits(b, digits []byte, fits uint32) uint32 {
	negative := len(b) > len(digits)
	switch {
	case negative && digits[0] == '0': // of zeros only floats have a sign
		return fits | fitsFloat
	case len(digits) <= 15 && negative:
		return fits | fitsInt | fitsFloat
	case len(digits) <= 15:
		return fits | fitsInt | fitsUint | fitsFloat
	}
	if _, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		fits |= fitsInt
	}
	if _, err := strconv.ParseUint(string(b), 10, 64); err == nil {
		fits |= fitsUint
	}
	if comesBack(b) {
		fits |= fitsFloat
	}
	return fits
}

// count is how many digits b begins with.
func count(b []byte) int {
	n := 0
	for n < len(b) && b[n]-'0' < 10 {
		n++
	}
	return n
}

// exponent reports whether b is one.
func exponent(b []byte) bool {
	if b[0]|0x20 != 'e' {
		return false
	}
	if b = b[1:]; len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	return len(b) > 0 && count(b) == len(b)
}

// comesBack reports whether the float that is next to a number has the same digits, written with
// as many.
func comesBack(b []byte) bool {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return false
	}
	var buf, back, text [32]byte // more is seldom needed
	digits := significant(buf[:0], b)
	switch n := len(digits); {
	case n == 0:
		return true
	case n > 17:
		return false
	default:
		return bytes.Equal(significant(back[:0], strconv.AppendFloat(text[:0], v, 'e', n-1, 64)), digits)
	}
}

// significant appends the digits of a number to dst, which is empty, without the zeros around them.
func significant(dst, b []byte) []byte {
	for _, c := range b {
		if c|0x20 == 'e' {
			break
		}
		if c-'0' < 10 {
			dst = append(dst, c)
		}
	}
	return bytes.Trim(dst, "0")
}

var (
	dates = by.NewColumn(by.Key{Kind: by.Date}, false)
	times = by.NewColumn(by.Key{Kind: by.Time}, false)
)

// dayFits adds what a date or a time is. Of times that say their zone only UTC is given back.
func dayFits(b []byte, fits uint32) uint32 {
	if len(b) == 10 {
		if _, ok := dates.Value(b); ok {
			fits |= fitsDate
		}
		return fits
	}
	v, ok := times.Value(b)
	if !ok || len(b) >= 19 && string(b[17:19]) == "60" || b[len(b)-1] == ' ' || b[len(b)-1] == '\t' {
		return fits
	}
	clock := b
	if v.Zoned {
		clock = nil
		for _, utc := range []string{"Z", "z", "+00", "+0000", "+00:00"} {
			if text, ok := bytes.CutSuffix(b, []byte(utc)); ok {
				clock = text
			}
		}
	}
	if len(clock) == 0 || len(clock) > len("2006-01-02T15:04:05.123456789") {
		return fits
	}
	return timeFits(v, fits|fitsTime|fitsNanos)
}
