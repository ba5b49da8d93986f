package linekey

import (
	"crypto/md5"
	"encoding/binary"
)

// Text ends with a zero byte; its own bytes 0 and 1 are written as two.
const (
	textEnd    = 0
	textEscape = 1
)

// appendText appends text, with small letters as capital ones if folded, and its end.
func appendText(dst, text []byte, folded bool) []byte {
	for len(text) > 0 && cap(text) >= 8 {
		// Of a text that is shorter, bytes behind it are read, too, and left out.
		w, n := binary.LittleEndian.Uint64(text[:8]), min(len(text), 8)
		counts := ^uint64(0) >> (64 - 8*n)
		// A byte below 2 borrows from its highest bit, unless that was set.
		if (w-ones*(textEscape+1))&^w&highs&counts != 0 {
			break
		}
		if folded {
			w = foldWord(w)
		}
		dst = binary.LittleEndian.AppendUint64(dst, w&counts)
		dst = dst[:len(dst)-8+n]
		text = text[n:]
	}
	for _, c := range text {
		switch {
		case c <= textEscape:
			dst = append(dst, textEscape, c+1)
			continue
		case folded && 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return append(dst, textEnd)
}

// appendCase appends a bit for each byte of text, set for small letters: the order of texts that are
// equal once they are folded.
func appendCase(dst, text []byte) []byte {
	for len(text) > 0 {
		var w uint64
		n := min(len(text), 8)
		if cap(text) >= 8 {
			w = binary.LittleEndian.Uint64(text[:8]) & (^uint64(0) >> (64 - 8*n))
		} else {
			for i, c := range text[:n] {
				w |= uint64(c) << (8 * i)
			}
		}
		small := (w ^ foldWord(w)) & (ones * ('a' - 'A')) / ('a' - 'A')
		dst = append(dst, byte(small*0x8040201008040201>>56)) // the first one is the highest bit
		text = text[n:]
	}
	return dst
}

// table maps bytes to what counts for a key; what does not count maps to −1.
type table [256]int16

// mapped says what one byte counts as. The -d goes before the -i.
func mapped(c byte, fold, dict, printable bool) int16 {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	switch {
	case dict && !(lower || upper || digit || blank[c]):
		return -1
	case !dict && printable && (c < ' ' || c > '~'):
		return -1
	case fold && lower:
		return int16(c - 'a' + 'A')
	}
	return int16(c)
}

// table returns the map of k's options, nil if each byte counts as itself.
func (k Key) table() *table {
	if !k.Fold && !k.Dict && !k.Printable {
		return nil
	}
	t := new(table)
	for c := range t {
		t[c] = mapped(byte(c), k.Fold, k.Dict, k.Printable)
	}
	return t
}

// transform returns what counts of text, until it is called again.
func (e *encoder) transform(k *part, text []byte) []byte {
	e.text = e.text[:0]
	for _, c := range text {
		if m := k.table[c]; m >= 0 {
			e.text = append(e.text, byte(m))
		}
	}
	return e.text
}

// fold makes small letters capital.
func fold(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, foldWord(binary.LittleEndian.Uint64(b)))
	}
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
}

// foldWord is fold of 8 bytes.
func foldWord(w uint64) uint64 {
	low := w &^ highs
	// A sum's high bit says that the byte is at least 'a', or beyond 'z'.
	small := ((low + ones*(0x80-'a')) ^ (low + ones*(0x7f-'z'))) &^ w & highs
	return w ^ small>>2
}

const months = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"

// month returns the number of the month that text names by its first three letters,
// 0 for any other text.
func month(text []byte) byte {
	text = text[behindBlanks(text, 0):]
	if len(text) < 3 {
		return 0
	}
	var name [3]byte
	for i := range name {
		name[i] = text[i]
		if 'a' <= name[i] && name[i] <= 'z' {
			name[i] -= 'a' - 'A'
		}
	}
	for m := 0; m < 12; m++ {
		if months[3*m:3*m+3] == string(name[:]) {
			return byte(m + 1)
		}
	}
	return 0
}

// hasher shuffles keys by their hash under a seed.
type hasher struct{ buf []byte }

// append appends the hash of text, which is the same for the same text.
func (h *hasher) append(dst []byte, seed [16]byte, text []byte) []byte {
	h.buf = append(append(h.buf[:0], seed[:]...), text...)
	sum := md5.Sum(h.buf)
	return append(dst, sum[:]...)
}
