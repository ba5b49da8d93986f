package linekey

import "encoding/binary"

// A decimal's key is a byte for sign and number of digits before the point, those
// digits, those behind the point, and an end. Two digits share a byte. Of a negative
// number all is complemented.
const (
	zeroNumber = 0x80
	oneDigit   = zeroNumber + 1 // no digit before the point; each digit is one more
	manyDigits = 0xf0           // followed by their number in eight bytes
	numberEnd  = 0
)

// appendNumeric appends the decimal that text begins with; text that begins with none
// is zero.
func appendNumeric(dst, text []byte) []byte {
	at := behindBlanks(text, 0)
	negative := at < len(text) && text[at] == '-'
	if negative {
		at++
	}
	for at < len(text) && text[at] == '0' {
		at++
	}
	from := at
	for at < len(text) && text[at]-'0' < 10 {
		at++
	}
	whole := text[from:at]
	var part []byte
	if at < len(text) && text[at] == '.' {
		from = at + 1
		to := from
		for at++; at < len(text) && text[at]-'0' < 10; at++ {
			if text[at] != '0' {
				to = at + 1
			}
		}
		part = text[from:to]
	}
	if len(whole)+len(part) == 0 {
		return append(dst, zeroNumber)
	}
	begin := len(dst)
	if len(whole) < manyDigits-oneDigit {
		dst = append(dst, byte(oneDigit+len(whole)))
	} else {
		dst = binary.BigEndian.AppendUint64(append(dst, manyDigits), uint64(len(whole)))
	}
	dst = append(appendDigits(appendDigits(dst, whole), part), numberEnd)
	if negative {
		complement(dst[begin:])
	}
	return dst
}

// appendDigits appends digits, two a byte, none as numberEnd. A missing last one is 0.
func appendDigits(dst, digits []byte) []byte {
	for len(digits) >= 2 {
		dst = append(dst, (digits[0]-'0')*10+digits[1]-'0'+1)
		digits = digits[2:]
	}
	if len(digits) == 1 {
		dst = append(dst, (digits[0]-'0')*10+1)
	}
	return dst
}

// suffixes are those of -h, by rising power. K may be small.
const suffixes = "KMGTPEZY"

// noSuffix is the byte of numbers without a suffix, and of zero.
const noSuffix = 0x80

// appendHuman appends the suffix with the number's sign, then the number.
func appendHuman(dst, text []byte) []byte {
	text = text[behindBlanks(text, 0):]
	at, zero := 0, true
	if at < len(text) && text[at] == '-' {
		at++
	}
	digits := func() {
		for ; at < len(text) && text[at]-'0' < 10; at++ {
			zero = zero && text[at] == '0'
		}
	}
	if digits(); at < len(text) && text[at] == '.' {
		at++
		digits()
	}
	power := byte(0)
	if !zero && at < len(text) {
		power = suffix(text[at])
	}
	if len(text) > 0 && text[0] == '-' {
		power = -power
	}
	return appendNumeric(append(dst, noSuffix+power), text)
}

// suffix returns the power of 1000 that c stands for.
func suffix(c byte) byte {
	if c == 'k' {
		c = 'K'
	}
	for i := range len(suffixes) {
		if suffixes[i] == c {
			return byte(i + 1)
		}
	}
	return 0
}
