package jsonkey

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// node is a place in a value from which paths go on.
type node struct {
	keys []int // whose paths end here
	kids []kid
}

// kid is a member of an object or an element of an array.
type kid struct {
	name  string
	index int // as which the name counts in an array; −1 if it is no number
	*node
}

// add adds a path.
func (n *node) add(path []string, key int) {
	for _, name := range path {
		var next *node
		for _, k := range n.kids {
			if k.name == name {
				next = k.node
			}
		}
		if next == nil {
			next = &node{}
			index, err := strconv.Atoi(name)
			if err != nil {
				index = -1
			}
			n.kids = append(n.kids, kid{name, index, next})
		}
		n = next
	}
	n.keys = append(n.keys, key)
}

// mostDepth is how deep values may be within each other.
const mostDepth = 10000

// scanner reads lines, all of them, and keeps the values that paths lead to. Its methods take
// the line and a place in it, and return the place behind what they have read: −1 after an
// error.
type scanner struct {
	found   [][]byte // of each key, the value as it is written; nil if it is missing
	depth   int
	escaped bool // there were escapes in a string
	err     error
}

// line reads a line. White space alone has no values.
func (s *scanner) line(b []byte, root *node) error {
	s.depth, s.err = 0, nil
	clear(s.found)
	at := space(b, 0)
	if at == len(b) {
		return nil
	}
	if at = s.value(b, at, root); at < 0 {
		return s.err
	}
	if at = space(b, at); at < len(b) {
		s.wrong(b, at, "the end of the line")
	}
	return s.err
}

// wrong says what was expected at a place.
func (s *scanner) wrong(b []byte, at int, want string) int {
	if at >= len(b) {
		s.err = fmt.Errorf("this is no JSON: the line ends where %s should be", want)
	} else {
		s.err = fmt.Errorf("this is no JSON: %q stands at byte %d, where %s should be", b[at], at+1, want)
	}
	return -1
}

// space returns the first place from at on without white space.
func space(b []byte, at int) int {
	for at < len(b) && b[at] <= ' ' && (b[at] == ' ' || b[at] == '\t' || b[at] == '\r' || b[at] == '\n') {
		at++
	}
	return at
}

// value reads a value. n is nil where no path leads.
func (s *scanner) value(b []byte, at int, n *node) int {
	if at == len(b) {
		return s.wrong(b, at, "a value")
	}
	from := at
	switch c := b[at]; c {
	case '{':
		at = s.object(b, at, n)
	case '[':
		at = s.array(b, at, n)
	case '"':
		at = s.text(b, at)
	case 't':
		at = s.word(b, at, "true")
	case 'f':
		at = s.word(b, at, "false")
	case 'n':
		at = s.word(b, at, "null")
	default:
		at = s.number(b, at)
	}
	if n != nil && at >= 0 {
		for _, k := range n.keys {
			s.found[k] = b[from:at]
		}
	}
	return at
}

func (s *scanner) word(b []byte, at int, w string) int {
	if len(b)-at < len(w) || string(b[at:at+len(w)]) != w {
		return s.wrong(b, at, "a value")
	}
	return at + len(w)
}

// open reads the sign that a container begins with, and its last one if that follows.
func (s *scanner) open(b []byte, at int, end byte) (_ int, empty bool) {
	if s.depth++; s.depth > mostDepth {
		s.err = fmt.Errorf("values are nested in each other more than %d times", mostDepth)
		return -1, true
	}
	if at = space(b, at+1); at < len(b) && b[at] == end {
		s.depth--
		return at + 1, true
	}
	return at, false
}

// next reads the sign behind a part of a container, and reports whether it is the last.
func (s *scanner) next(b []byte, at int, end byte) (_ int, ended bool) {
	if at = space(b, at); at < len(b) {
		switch b[at] {
		case ',':
			return space(b, at+1), false
		case end:
			s.depth--
			return at + 1, true
		}
	}
	return s.wrong(b, at, fmt.Sprintf("',' or '%c'", end)), true
}

func (s *scanner) object(b []byte, at int, n *node) int {
	at, ended := s.open(b, at, '}')
	for !ended {
		if at == len(b) || b[at] != '"' {
			return s.wrong(b, at, "a name in quotes")
		}
		from := at
		s.escaped = false
		if at = s.text(b, at); at < 0 {
			return at
		}
		var to *node
		if n != nil && len(n.kids) > 0 {
			name := b[from+1 : at-1]
			if s.escaped {
				name = unescape(b[from:at])
			}
			if to = n.member(name); to != nil {
				s.forget(to)
			}
		}
		if at = space(b, at); at == len(b) || b[at] != ':' {
			return s.wrong(b, at, "':'")
		}
		if at = s.value(b, space(b, at+1), to); at < 0 {
			return at
		}
		at, ended = s.next(b, at, '}')
	}
	return at
}

// member returns where the path goes on in a member; nil if it does not.
func (n *node) member(name []byte) *node {
	for i := range n.kids {
		if n.kids[i].name == string(name) {
			return n.kids[i].node
		}
	}
	return nil
}

// forget drops what was found below n: of members with one name the last counts.
func (s *scanner) forget(n *node) {
	for _, k := range n.keys {
		if s.found[k] != nil {
			s.found[k] = nil
		}
	}
	for _, k := range n.kids {
		s.forget(k.node)
	}
}

func (s *scanner) array(b []byte, at int, n *node) int {
	at, ended := s.open(b, at, ']')
	for i := 0; !ended; i++ {
		var to *node
		if n != nil {
			for k := range n.kids {
				if n.kids[k].index == i {
					to = n.kids[k].node
				}
			}
		}
		if at = s.value(b, at, to); at < 0 {
			return at
		}
		at, ended = s.next(b, at, ']')
	}
	return at
}

// text reads a string.
func (s *scanner) text(b []byte, at int) int {
	for at++; ; {
		if at = plain(b, at); at == len(b) {
			return s.wrong(b, at, "the end of a string")
		}
		switch b[at] {
		case '"':
			return at + 1
		case '\\':
			if at = s.escape(b, at+1); at < 0 {
				return at
			}
		default:
			return s.wrong(b, at, "no control character")
		}
	}
}

// escape reads what follows a backslash.
func (s *scanner) escape(b []byte, at int) int {
	s.escaped = true
	if at == len(b) {
		return s.wrong(b, at, "the end of a string")
	}
	switch b[at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return at + 1
	case 'u':
		for range 4 {
			if at++; at == len(b) || !hex(b[at]) {
				return s.wrong(b, at, "a hexadecimal digit")
			}
		}
		return at + 1
	}
	return s.wrong(b, at, "one of \"\\/bfnrtu")
}

// plain returns the first place from at on of a quote, a backslash, a control character or
// the end.
func plain(b []byte, at int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; at+8 <= len(b); at += 8 {
		w := binary.LittleEndian.Uint64(b[at:])
		quotes, slashes := w^('"'*ones), w^('\\'*ones)
		// The lowest bit is that of the first such byte; others may be wrong.
		if found := ((w-0x20*ones)&^w | (quotes-ones)&^quotes | (slashes-ones)&^slashes) & tops; found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(b) && b[at] != '"' && b[at] != '\\' && b[at] >= ' ' {
		at++
	}
	return at
}

func hex(c byte) bool { return c-'0' < 10 || (c|0x20)-'a' < 6 }

// digits returns the first place from at on without a digit.
func digits(b []byte, at int) int {
	for at < len(b) && b[at]-'0' < 10 {
		at++
	}
	return at
}

func (s *scanner) number(b []byte, at int) int {
	if b[at] == '-' {
		if at++; at == len(b) || b[at]-'0' >= 10 {
			return s.wrong(b, at, "a digit")
		}
	}
	from := at
	if at = digits(b, at); at == from {
		return s.wrong(b, at, "a value")
	}
	if b[from] == '0' && at > from+1 {
		return s.wrong(b, from+1, "no digit behind a zero at the beginning")
	}
	if at < len(b) && b[at] == '.' {
		from = at + 1
		if at = digits(b, from); at == from {
			return s.wrong(b, at, "a digit")
		}
	}
	if at < len(b) && b[at]|0x20 == 'e' {
		if at++; at < len(b) && (b[at] == '+' || b[at] == '-') {
			at++
		}
		from = at
		if at = digits(b, from); at == from {
			return s.wrong(b, at, "a digit")
		}
	}
	return at
}

// unescape returns the text of a string, which is valid, with escapes in it. Bytes that are no
// UTF-8 stay, and half a surrogate pair is encoded as if it were a code point, so that
// different strings stay different.
func unescape(quoted []byte) []byte {
	b := quoted[1 : len(quoted)-1]
	text := make([]byte, 0, len(b))
	for len(b) > 0 {
		plain := bytes.IndexByte(b, '\\')
		if plain < 0 {
			return append(text, b...)
		}
		text = append(text, b[:plain]...)
		b = b[plain+1:]
		if b[0] != 'u' {
			text = append(text, unescaped[b[0]])
			b = b[1:]
			continue
		}
		r := hex4(b[1:])
		b = b[5:]
		if utf16.IsSurrogate(r) && len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
			if both := utf16.DecodeRune(r, hex4(b[2:])); both != utf8.RuneError {
				r, b = both, b[6:]
			}
		}
		if utf16.IsSurrogate(r) {
			text = append(text, 0xe0|byte(r>>12), 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
		} else {
			text = utf8.AppendRune(text, r)
		}
	}
	return text
}

// unescaped has what stands behind a backslash.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// hex4 is the number of four hexadecimal digits.
func hex4(b []byte) rune {
	r, _ := strconv.ParseUint(string(b[:4]), 16, 16) // escape has read them
	return rune(r)
}
