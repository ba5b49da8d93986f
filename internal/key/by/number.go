package by

import "encoding/binary"

// A number's key is a byte that says its sign and where its point is, its digits, and an
// end. The number is 0.d₁d₂d₃… × 10ᵉ, d₁ not 0. Two digits share a byte. Of a negative
// number all is complemented.
const (
	nanFirst  = 0x00
	zero      = 0x80
	tiny      = 0x81 // e in eight bytes, of a number below all that the next ones tell
	middle    = 0xbf // e is 0; other bytes say e from −mostPoint to mostPoint
	huge      = 0xfd // e in eight bytes
	infinite  = 0xfe
	nanLast   = 0xff
	mostPoint = 0x3d
	numberEnd = 0
	// mostPower bounds e, so that sums do not overflow.
	mostPower = 1 << 58
)

// appendNumber appends the key of the decimal number that text is. It reports whether text is
// one: digits, perhaps with a sign, a point and an exponent; or inf, infinity or nan.
func appendNumber(dst, text []byte, nans byte) ([]byte, bool) {
	begin := len(dst)
	at := 0
	negative := false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		at++
	}
	dst = append(dst, 0) // the first byte
	digits, half := false, -1
	power := int64(0) // of ten
	point := false
	for ; at < len(text); at++ {
		d := int(text[at]) - '0'
		if uint(d) > 9 {
			if text[at] != '.' || point {
				break
			}
			point = true
			continue
		}
		digits = true
		switch {
		case d == 0 && half < 0 && len(dst) == begin+1: // no digit counts so far
			if point {
				power--
			}
			continue
		case half < 0:
			half = d
		default:
			dst = append(dst, byte(half*10+d+1))
			half = -1
		}
		if !point {
			power++
		}
	}
	if !digits {
		return appendSpecial(dst[:begin], text, nans)
	}
	if at < len(text) {
		e, ok := exponent(text[at:])
		if !ok {
			return dst[:begin], false
		}
		power += e
	}
	if half >= 0 {
		dst = append(dst, byte(half*10+1))
	}
	for len(dst) > begin+1 && dst[len(dst)-1] == 1 {
		dst = dst[:len(dst)-1]
	}
	switch {
	case len(dst) == begin+1:
		dst[begin] = zero
		return dst, true
	case power < -mostPoint || power > mostPoint:
		dst = farPoint(dst, begin, power)
	default:
		dst[begin] = byte(middle + power)
	}
	dst = append(dst, numberEnd)
	if negative {
		complement(dst[begin:])
	}
	return dst, true
}

// farPoint makes room for a power that a byte does not tell.
func farPoint(dst []byte, begin int, power int64) []byte {
	digits := string(dst[begin+1:])
	first := byte(huge)
	if power < 0 {
		first = tiny
	}
	dst = append(dst[:begin], first)
	dst = binary.BigEndian.AppendUint64(dst, uint64(power)^1<<63)
	return append(dst, digits...)
}

// exponent reads e and a whole number.
func exponent(text []byte) (int64, bool) {
	if text[0]|0x20 != 'e' {
		return 0, false
	}
	text = text[1:]
	negative := false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		text = text[1:]
	}
	if len(text) == 0 {
		return 0, false
	}
	e := int64(0)
	for _, c := range text {
		d := int(c) - '0'
		if uint(d) > 9 {
			return 0, false
		}
		e = min(e*10+int64(d), mostPower) // ten times that is below 1 << 63
	}
	if negative {
		e = -e
	}
	return e, true
}

// appendSpecial appends the key of inf, infinity or nan in letters of any case.
func appendSpecial(dst, text []byte, nans byte) ([]byte, bool) {
	negative := false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		text = text[1:]
	}
	switch {
	case is(text, "nan"):
		return append(dst, nans), true
	case !is(text, "inf") && !is(text, "infinity"):
		return dst, false
	case negative:
		return append(dst, infinite^0xff), true
	}
	return append(dst, infinite), true
}

// is reports whether text is word, which has small letters, in letters of any case.
func is(text []byte, word string) bool {
	if len(text) != len(word) {
		return false
	}
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

func complement(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}
