package table

import (
	"encoding/binary"
	"errors"
)

// A row is its length in bytes, 4 bytes little-endian, the length included, and its
// fields in the order of the layout:
//
//	values that are always there   the value
//	flat                           1 byte, the definition level; the value, if the level is the highest
//	repeated                       4 bytes, the number of levels; for each the repetition and the
//	                               definition level, 1 byte each; the values
//
// A value has the width of its field, or begins with its length in 4 bytes.

// headBytes is what a row begins with.
const headBytes = 4

// field is how the values of one column lie in rows.
type field struct {
	width    int   // bytes of a value; 0: they differ
	def, rep uint8 // the highest levels
}

// flat reports whether rows have at most one value.
func (f field) flat() bool { return f.rep == 0 }

var errRow = errors.New("a row is not what was written: the disk or the memory is faulty")

// skip returns what follows the flat field that row begins with, and its value; there is
// none if ok is false.
func (f field) skip(row []byte) (value, rest []byte, ok bool) {
	if f.def > 0 {
		if row[0] != f.def {
			return nil, row[1:], false
		}
		row = row[1:]
	}
	if f.width > 0 {
		return row[:f.width], row[f.width:], true
	}
	end := 4 + int(binary.LittleEndian.Uint32(row))
	return row[4:end], row[end:], true
}

// format tells rows apart; it is a run.Format with the keys' encoder.
type format struct{ keys []*fieldKey }

// Cut implements run.Format.
func (format) Cut(b []byte) (int, error) {
	at := 0
	for len(b)-at >= headBytes {
		n := int(binary.LittleEndian.Uint32(b[at:]))
		if n < headBytes {
			return 0, errRow
		}
		if n > len(b)-at {
			break
		}
		at += n
	}
	return at, nil
}

// Split implements run.Format.
func (format) Split(b []byte, ends []uint32) []uint32 {
	for at := 0; at < len(b); {
		at += int(binary.LittleEndian.Uint32(b[at:]))
		ends = append(ends, uint32(at))
	}
	return ends
}

// End implements run.Format: inputs end with whole rows.
func (format) End([]byte) ([]byte, int64, error) { return nil, 0, nil }

// Delimiter implements run.Format.
func (format) Delimiter() int { return 0 }

// Encoder implements run.Format.
func (f format) Encoder() func(dst, row []byte) ([]byte, error) {
	return func(dst, row []byte) ([]byte, error) {
		rest := row[headBytes:]
		for _, k := range f.keys {
			var value []byte
			var ok bool
			if value, rest, ok = k.skip(rest); ok {
				dst = k.append(dst, value)
			} else {
				dst = append(dst, k.null)
			}
		}
		return dst, nil
	}
}
