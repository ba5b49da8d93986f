package linekey

import (
	"math"
	"strconv"
)

// mostDigits is how many digits always fit a number of 64 bits with its sign.
const mostDigits = 18

// Numbered reports whether a line that is a whole number, written as such numbers are, has
// the place of its value.
func (c *Schema) Numbered() bool {
	if c == nil || len(c.keys) == 0 || c.separator == '-' || c.separator >= '0' && c.separator <= '9' {
		return false
	}
	k := c.keys[0]
	return k.kind == Numeric && k.table == nil && k.Field == 0 && k.Char == 0 && (k.EndField < 0 || k.EndField == 0 && k.EndChar == 0)
}

// Numbers appends the values of the lines of b, and reports whether all of them are whole
// numbers: those of equal value are equal.
func (l Lines) Numbers(b []byte, numbers []uint64) ([]uint64, bool) {
	flip := l.flip()
	for at := 0; at < len(b); at++ {
		negative := b[at] == '-'
		if negative {
			at++
		}
		from, v := at, uint64(0)
		for ; at < len(b) && b[at]-'0' < 10; at++ {
			v = v*10 + uint64(b[at]-'0')
		}
		digits := at - from
		if at == len(b) || b[at] != l.Delim || digits == 0 || digits > mostDigits || b[from] == '0' && (digits > 1 || negative) {
			return numbers, false
		}
		if negative {
			v = -v
		}
		numbers = append(numbers, v^flip)
	}
	return numbers, true
}

// AppendNumber appends the line of a value.
func (l Lines) AppendNumber(dst []byte, number uint64) []byte {
	return append(strconv.AppendInt(dst, int64(number^l.flip()), 10), l.Delim)
}

// flip is what makes numbers of values, whose order may be against that of keys.
func (c *Schema) flip() uint64 {
	if c.keys[0].Reverse != c.desc {
		return math.MaxInt64
	}
	return 1 << 63
}
