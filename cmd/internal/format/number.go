package format

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

var (
	errNoNumber = errors.New("no number")
	errRange    = errors.New("out of range")
	errSmall    = errors.New("too small")
	errInexact  = errors.New("an integer that no float holds")
)

// Numbers says what text may hold beside numbers that the type holds as they are written.
type Numbers struct {
	// Round takes the nearest float for an integer that no float holds, 0 for what is
	// too small and an infinity for what is too large. Without it they are errors.
	Round bool
	// Rounded counts the floats for which Round has done so; it may be nil.
	Rounded *atomic.Int64
	// Loose takes integers as 1e5, 2.5e3, 12.0 and 0x10, too.
	Loose bool
}

// parse reads one number of type t, without space around it, and returns
// its bits. Integers are decimal with an optional sign. Floats are what
// strconv.ParseFloat reads, without underscores, and [+-]nan or [+-]nan(0xPAYLOAD), where the
// payload is all mantissa bits; nan alone is the quiet NaN without payload.
func (n Numbers) parse(s []byte, t key.Type) (uint64, error) {
	if t.Row().Kind == key.Float {
		return n.parseFloat(s, t)
	}
	u, err := parseInteger(s, t)
	if n.Loose && err == errNoNumber {
		return parseLoose(s, t)
	}
	return u, err
}

func parseInteger(s []byte, t key.Type) (uint64, error) {
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if len(s) == 0 {
		return 0, errNoNumber
	}
	var u uint64
	over := false
	for _, c := range s {
		c -= '0'
		if c > 9 {
			return 0, errNoNumber
		}
		if u > (math.MaxUint64-9)/10 {
			// Near the end of u64: the careful way, once per such number.
			next := u*10 + uint64(c)
			over = over || u > math.MaxUint64/10 || next < uint64(c)
			u = next
			continue
		}
		u = u*10 + uint64(c)
	}
	if over {
		return 0, errRange
	}
	return integer(neg, u, t)
}

// integer returns the bits of an integer by sign and magnitude.
func integer(neg bool, u uint64, t key.Type) (uint64, error) {
	w := uint(t.Bits())
	limit := uint64(math.MaxUint64) >> (64 - w)
	switch {
	case t.Row().Kind == key.Signed && neg:
		limit = limit>>1 + 1
	case t.Row().Kind == key.Signed:
		limit >>= 1
	case neg:
		limit = 0 // −0 is 0
	}
	if u > limit {
		return 0, errRange
	}
	if neg {
		u = -u & (math.MaxUint64 >> (64 - w))
	}
	return u, nil
}

func (n Numbers) parseFloat(s []byte, t key.Type) (uint64, error) {
	if i := len(s) - len(bytes.TrimLeft(s, "+-")); len(s) > i && s[i]|0x20 == 'n' {
		return parseNaN(strings.ToLower(string(s)), t)
	}
	if bytes.IndexByte(s, '_') >= 0 {
		return 0, errNoNumber // Go's digit separator; integers have none here either
	}
	// ParseFloat keeps the string only in an error, which is dropped here.
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(s), len(s)), t.Bits())
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, errNoNumber
	}
	lost := exact(s, v, t)
	if err != nil {
		lost = errRange
	}
	switch {
	case lost == nil:
	case !n.Round:
		return 0, lost
	case n.Rounded != nil:
		n.Rounded.Add(1)
	}
	if t == key.F32 {
		return uint64(math.Float32bits(float32(v))), nil
	}
	return math.Float64bits(v), nil
}

// nanParts returns sign bit, exponent bits and mantissa width of a float type.
func nanParts(t key.Type) (sign, exp uint64, mantissa uint) {
	if t == key.F32 {
		return 1 << 31, 0x7f800000, 23
	}
	return 1 << 63, 0x7ff0000000000000, 52
}

func parseNaN(s string, t key.Type) (uint64, error) {
	sign, u, mantissa := nanParts(t)
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		u |= sign
		s = rest
	} else {
		s = strings.TrimPrefix(s, "+")
	}
	if s == "nan" {
		return u | 1<<(mantissa-1), nil
	}
	hex, ok1 := strings.CutPrefix(s, "nan(0x")
	hex, ok2 := strings.CutSuffix(hex, ")")
	p, err := strconv.ParseUint(hex, 16, 64)
	switch {
	case !ok1 || !ok2 || err != nil:
		return 0, errNoNumber
	case p == 0 || p>>mantissa != 0:
		return 0, errRange
	}
	return u | p, nil
}

// Floats from plainFrom to below plainTo are written without an exponent, as JSON
// writers and JavaScript have it: sort -n and spreadsheets read those alone.
const (
	plainFrom = 1e-6
	plainTo   = 1e21
)

// appendNumber writes the shortest text that Numbers.parse reads back to u.
func appendNumber(b []byte, t key.Type, u uint64) []byte {
	switch t.Row().Kind {
	case key.Unsigned:
		return strconv.AppendUint(b, u, 10)
	case key.Signed:
		w := 64 - uint(t.Bits())
		return strconv.AppendInt(b, int64(u<<w)>>w, 10)
	}
	sign, exp, mantissa := nanParts(t)
	switch abs := u &^ sign; {
	case abs >= exp:
		if u&sign != 0 {
			b = append(b, '-')
		}
		if abs == exp {
			return append(b, "inf"...)
		}
		b = append(b, "nan"...)
		if p := abs - exp; p != 1<<(mantissa-1) {
			b = fmt.Appendf(b, "(0x%x)", p)
		}
		return b
	}
	v := floatOf(t, u)
	notation := byte('e')
	if abs := math.Abs(v); abs == 0 || abs >= plainFrom && abs < plainTo {
		notation = 'f'
	}
	return strconv.AppendFloat(b, v, notation, -1, t.Bits())
}

// floatOf returns the value of the float with bits u.
func floatOf(t key.Type, u uint64) float64 {
	if t == key.F32 {
		return float64(math.Float32frombits(uint32(u)))
	}
	return math.Float64frombits(u)
}
