package linekey

import "encoding/binary"

// Version order compares names in turns: characters up to a digit, then the number
// that follows. Letters go before other characters; the end of a name, and of the
// characters before a number, goes before both, and ~ before all.
const (
	tilde      = 1
	nameEnd    = 2 // a number follows; at the end of a name it is 0
	firstOther = 3 // letters, then other characters
)

// A number without leading zeros is the count of its digits and the digits. Zero has
// no digits. What follows a zero decides whether it is more than the end of a name,
// which counts as zeros without end.
const (
	zeroTilde   = 1
	zeroEnd     = 2
	zeroMore    = 3
	shortNumber = 4 // one digit less
	longNumber  = 0xf0
)

// versionByte is the code of each character that is no digit.
var versionByte [256]byte

func init() {
	next := byte(firstOther)
	letter := func(c int) bool { return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' }
	for _, letters := range []bool{true, false} {
		for c := range 256 {
			if digit := '0' <= c && c <= '9'; letter(c) == letters && !digit && c != '~' {
				versionByte[c] = next
				next++
			}
		}
	}
	versionByte['~'] = tilde
}

// The names that go before all others.
const (
	emptyName = iota
	dotName
	dotDotName
	hiddenName // .x
	plainName
)

// What follows the name without its suffixes, where those are the same.
const (
	noSuffixes = iota
	suffixesBehindDigit
	suffixesBehindOther
)

// appendVersion appends the key of a name: its class, what is left without suffixes
// such as .tar.gz, and then the suffixes.
func appendVersion(dst, name []byte) []byte {
	class := byte(plainName)
	switch {
	case len(name) == 0:
		return append(dst, emptyName)
	case string(name) == ".":
		return append(dst, dotName)
	case string(name) == "..":
		return append(dst, dotDotName)
	case name[0] == '.':
		class = hiddenName
	}
	n := withoutSuffixes(name)
	dst = appendParts(append(dst, class), name[:n])
	switch {
	case n == len(name):
		return append(dst, noSuffixes)
	case n > 0 && name[n-1]-'0' < 10:
		dst = append(dst, suffixesBehindDigit)
	default:
		dst = append(dst, suffixesBehindOther)
	}
	return appendParts(dst, name[n:])
}

// withoutSuffixes returns the length of name without the longest end that is made of
// suffixes: each a dot, a letter or ~, and any letters, digits and ~.
func withoutSuffixes(name []byte) int {
	n := len(name) // all behind n is made of suffixes
	for i := n - 1; i >= 0; i-- {
		switch c := name[i]; {
		case c == '.':
			if i+1 >= n || name[i+1]-'0' < 10 {
				return n
			}
			n = i
		case !alnum(c) && c != '~':
			return n
		}
	}
	return n
}

func alnum(c byte) bool {
	return c-'0' < 10 || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// appendParts appends the characters and numbers of s in turns, and the end.
func appendParts(dst, s []byte) []byte {
	for {
		for len(s) > 0 && s[0]-'0' >= 10 {
			dst = append(dst, versionByte[s[0]])
			s = s[1:]
		}
		dst = append(dst, nameEnd)
		for len(s) > 0 && s[0] == '0' {
			s = s[1:]
		}
		n := 0
		for n < len(s) && s[n]-'0' < 10 {
			n++
		}
		switch {
		case n >= longNumber-shortNumber:
			dst = binary.BigEndian.AppendUint64(append(dst, longNumber), uint64(n))
		case n > 0:
			dst = append(dst, byte(shortNumber+n-1))
		case len(s) == 0:
			return append(dst, zeroEnd)
		case s[0] == '~':
			dst = append(dst, zeroTilde)
		default:
			dst = append(dst, zeroMore)
		}
		dst = appendDigits(dst, s[:n])
		s = s[n:]
	}
}
