package linekey

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// ones and highs have in each byte of a word the lowest bit and the highest.
const ones, highs = 0x0101010101010101, 0x8080808080808080

// blank says which bytes separate fields: in the C locale blank and tab; the newline,
// too, which is within lines that end with a zero byte.
var blank = [256]bool{' ': true, '\t': true, '\n': true}

// known is a field of a line and where it begins.
type known struct{ field, at int }

// find returns the part of line that k names. It is empty where the line is too short. It looks
// from a known field on, if that is not behind k, and leaves the last one known that it met.
func (c *Schema) find(k *Key, line []byte, from *known) []byte {
	if from.field > k.Field {
		*from = known{}
	}
	*from = known{k.Field, c.behind(line, from.at, k.Field-from.field)}
	begin, end := c.boundsFrom(k, line, from.at)
	if c.separator < 0 && k.EndField >= k.Field && k.EndChar == 0 {
		*from = known{k.EndField + 1, end}
	}
	return line[begin:max(begin, end)]
}

// bounds returns where the part of line begins that k names, and where it ends, which may be
// before that.
func (c *Schema) bounds(k *Key, line []byte) (begin, end int) {
	return c.boundsFrom(k, line, c.behind(line, 0, k.Field))
}

// boundsFrom is bounds of a key whose field begins at field.
func (c *Schema) boundsFrom(k *Key, line []byte, field int) (begin, end int) {
	begin = field
	if k.SkipStart {
		begin = behindBlanks(line, begin)
	}
	begin = advance(line, begin, k.Char)
	if k.EndField < 0 {
		return begin, len(line)
	}
	n := k.EndField
	if n >= k.Field {
		end, n = field, n-k.Field // no need to begin anew
	}
	end = c.behind(line, end, n)
	if k.EndChar == 0 {
		return begin, c.fieldEnd(line, end)
	}
	if k.SkipEnd {
		end = behindBlanks(line, end)
	}
	return begin, advance(line, end, k.EndChar)
}

// behind returns where the field begins that is n behind the one that begins at at.
func (c *Schema) behind(line []byte, at, n int) int {
	for ; n > 0 && at < len(line); n-- {
		if at = c.fieldEnd(line, at); c.separator >= 0 && at < len(line) {
			at++
		}
	}
	return at
}

// fieldEnd returns where the field ends that begins at at. Fields without a separator
// begin with blanks.
func (c *Schema) fieldEnd(line []byte, at int) int {
	if c.separator >= 0 {
		if n := bytes.IndexByte(line[at:], byte(c.separator)); n >= 0 {
			return at + n
		}
		return len(line)
	}
	return nextBlank(line, behindBlanks(line, at))
}

// nextBlank returns the place of the first blank from at on, or the line's end.
func nextBlank(line []byte, at int) int {
	for at+8 <= len(line) {
		w := binary.LittleEndian.Uint64(line[at:])
		// The lowest high bit is that of the first byte up to a space, as all blanks are.
		low := (w - ones*(' '+1)) & ^w & highs
		if low == 0 {
			at += 8
			continue
		}
		if at += bits.TrailingZeros64(low) / 8; blank[line[at]] {
			return at
		}
		at++
	}
	for at < len(line) && !blank[line[at]] {
		at++
	}
	return at
}

// advance returns the place n bytes behind at, or the line's end.
func advance(line []byte, at, n int) int {
	if n > len(line)-at {
		return len(line)
	}
	return at + n
}

func behindBlanks(line []byte, at int) int {
	for at < len(line) && blank[line[at]] {
		at++
	}
	return at
}
