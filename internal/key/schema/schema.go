// Package schema makes normalised keys: byte strings whose order by bytes.Compare is the
// wanted order of rows (docs/order.md). A row's key is that of its columns, one after the
// other. None is a prefix of another row's but where the last column is text.
//
//	column                        bytes
//	that may be missing           first 0 or 1: which one is missing says NullsLast
//	integers                      big-endian, the sign bit flipped
//	floats of 16 to 64 bits       the encoded key of package key, or of that kind, big-endian
//	Bool                          0 or 1
//	Wide                          high half, low half
//	Octets                        the 16 bytes
//	Time                          seconds since year 1 with the sign bit flipped, nanoseconds: 12 bytes
//	Addr                          1 byte by the kind of address, 4 or 16 bytes, for IPv6 the zone as text
//	Text                          0 and 1 as 1 1 and 1 2, others as they are; then 0
//
// The last column's text, if it ascends, is not escaped and has no 0 behind it. In descending
// order all bytes but the first, of what may be missing, are complemented.
package schema

import "github.com/gpusort/gpusort/internal/key"

// Kind says what the values of a column are.
type Kind uint8

// The kinds. Number holds a type of package key's table.
const (
	Number   Kind = iota
	Bool          // one byte, 0 or 1; Type is U8, as of all that follow
	Float16       // IEEE 754 binary16
	BFloat16      // the high half of a binary32
	Wide          // two uint64: high, low
	Octets        // [16]byte
	Time          // time.Time
	Addr          // netip.Addr
	Text          // string
	Bytes         // []byte
)

// Column is how the values of one column are ordered.
type Column struct {
	Kind     Kind
	Type     key.Type // of Number
	Order    key.Order
	Nullable bool // values may be missing
	// NullsLast puts what is missing behind all values, in either direction; else it is
	// before them.
	NullsLast bool
}

// Width is how many bytes a key of the column takes; 0 if that depends on the value.
func (c Column) Width() int {
	n := c.valueWidth()
	if n > 0 && c.Nullable {
		n++
	}
	return n
}

func (c Column) valueWidth() int {
	switch c.Kind {
	case Number:
		return c.Type.Bytes()
	case Bool:
		return 1
	case Float16, BFloat16:
		return 2
	case Wide, Octets:
		return 16
	case Time:
		return 12
	}
	return 0
}

// IsText reports whether values are strings or byte slices.
func (c Column) IsText() bool { return c.Kind >= Text }

// Width is how many bytes a key of the columns takes; 0 if that depends on the values.
func Width(columns []Column) int {
	sum := 0
	for _, c := range columns {
		n := c.Width()
		if n == 0 {
			return 0
		}
		sum += n
	}
	return sum
}
