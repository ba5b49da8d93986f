package csvkey

import "bytes"

const quote = '"'

// opens reports whether the quote at i opens a field: one within a field means itself.
func opens(b []byte, i int, separator byte) bool {
	return i == 0 || b[i-1] == separator || b[i-1] == '\n'
}

// closing returns the place behind the quote that closes the field whose text begins at at,
// −1 if b has none. Two quotes stand for one.
func closing(b []byte, at int) int {
	for {
		i := bytes.IndexByte(b[at:], quote)
		if i < 0 {
			return -1
		}
		if at += i + 1; at == len(b) || b[at] != quote {
			return at
		}
		at++
	}
}

// index returns the place of c in b at or behind at, len(b) if there is none.
func index(b []byte, at int, c byte) int {
	if i := bytes.IndexByte(b[at:], c); i >= 0 {
		return at + i
	}
	return len(b)
}

// cut returns how many bytes of b are whole rows, and where the field begins that no quote
// closes, −1 if none does.
func cut(b []byte, separator byte) (whole, open int) {
	for at := 0; ; {
		q := index(b, at, quote)
		if bytes.IndexByte(b[at:q], '\n') >= 0 {
			whole = at + bytes.LastIndexByte(b[at:q], '\n') + 1
		}
		if q == len(b) {
			return whole, -1
		}
		if at = q + 1; opens(b, q, separator) {
			if at = closing(b, at); at < 0 {
				return whole, q
			}
		}
	}
}

// split appends where each row of b ends. The last one needs no newline.
func split(b []byte, separator byte, ends []uint32) []uint32 {
	q := index(b, 0, quote)
	for at := 0; at < len(b); {
		end := min(index(b, at, '\n')+1, len(b))
		if q >= end {
			ends = append(ends, uint32(end))
			at = end
			continue
		}
		if at = q + 1; opens(b, q, separator) {
			if at = closing(b, at); at < 0 {
				at = len(b)
			}
		}
		if q = index(b, at, quote); at == len(b) {
			ends = append(ends, uint32(at))
		}
	}
	return ends
}
