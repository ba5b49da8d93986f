package jsonkey

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
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

// scanner reads one line, all of it, and keeps the values that paths lead to.
type scanner struct {
	b     []byte
	at    int
	depth int
	found [][]byte // of each key, the value as it is written; nil if it is missing
}

// line reads a line. White space alone has no values.
func (s *scanner) line(b []byte, root *node) error {
	s.b, s.at, s.depth = b, 0, 0
	clear(s.found)
	if s.space(); s.at == len(b) {
		return nil
	}
	if err := s.value(root); err != nil {
		return err
	}
	if s.space(); s.at < len(b) {
		return s.wrong("the end of the line")
	}
	return nil
}

// wrong says what was expected at the place.
func (s *scanner) wrong(want string) error {
	if s.at >= len(s.b) {
		return fmt.Errorf("this is no JSON: the line ends where %s should be", want)
	}
	return fmt.Errorf("this is no JSON: %q stands at byte %d, where %s should be", s.b[s.at], s.at+1, want)
}

func (s *scanner) space() {
	for s.at < len(s.b) {
		switch s.b[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// value reads a value. n is nil where no path leads.
func (s *scanner) value(n *node) (err error) {
	from := s.at
	if s.at == len(s.b) {
		return s.wrong("a value")
	}
	switch c := s.b[s.at]; c {
	case '{':
		err = s.object(n)
	case '[':
		err = s.array(n)
	case '"':
		_, err = s.text()
	case 't':
		err = s.word("true")
	case 'f':
		err = s.word("false")
	case 'n':
		err = s.word("null")
	default:
		err = s.number()
	}
	if n != nil && err == nil {
		for _, k := range n.keys {
			s.found[k] = s.b[from:s.at]
		}
	}
	return err
}

func (s *scanner) word(w string) error {
	if !bytes.HasPrefix(s.b[s.at:], []byte(w)) {
		return s.wrong("a value")
	}
	s.at += len(w)
	return nil
}

// open reads the sign that a container begins with, and reports whether it ends at once.
func (s *scanner) open(end byte) (empty bool, err error) {
	if s.depth++; s.depth > mostDepth {
		return false, fmt.Errorf("values are nested in each other more than %d times", mostDepth)
	}
	s.at++
	if s.space(); s.at < len(s.b) && s.b[s.at] == end {
		s.at++
		s.depth--
		return true, nil
	}
	return false, nil
}

// next reads the sign behind a part of a container, and reports whether it is the end.
func (s *scanner) next(end byte) (ended bool, err error) {
	s.space()
	switch {
	case s.at < len(s.b) && s.b[s.at] == ',':
		s.at++
		s.space()
		return false, nil
	case s.at < len(s.b) && s.b[s.at] == end:
		s.at++
		s.depth--
		return true, nil
	}
	return false, s.wrong(fmt.Sprintf("',' or '%c'", end))
}

func (s *scanner) object(n *node) error {
	ended, err := s.open('}')
	for !ended && err == nil {
		if s.at == len(s.b) || s.b[s.at] != '"' {
			return s.wrong("a name in quotes")
		}
		from := s.at
		escaped, err := s.text()
		if err != nil {
			return err
		}
		name := s.b[from+1 : s.at-1]
		if s.space(); s.at == len(s.b) || s.b[s.at] != ':' {
			return s.wrong("':'")
		}
		s.at++
		s.space()
		var to *node
		if n != nil && len(n.kids) > 0 {
			if escaped {
				name = unescape(s.b[from : from+len(name)+2])
			}
			for i := range n.kids {
				if n.kids[i].name == string(name) {
					to = n.kids[i].node
				}
			}
			s.forget(to)
		}
		if err = s.value(to); err != nil {
			return err
		}
		if ended, err = s.next('}'); err != nil {
			return err
		}
	}
	return err
}

// forget drops what was found below n: of members with one name the last counts.
func (s *scanner) forget(n *node) {
	if n == nil {
		return
	}
	for _, k := range n.keys {
		s.found[k] = nil
	}
	for _, k := range n.kids {
		s.forget(k.node)
	}
}

func (s *scanner) array(n *node) error {
	ended, err := s.open(']')
	for i := 0; !ended && err == nil; i++ {
		var to *node
		if n != nil {
			for k := range n.kids {
				if n.kids[k].index == i {
					to = n.kids[k].node
				}
			}
		}
		if err = s.value(to); err == nil {
			ended, err = s.next(']')
		}
	}
	return err
}

// text reads a string, and reports whether there are escapes in it.
func (s *scanner) text() (escaped bool, err error) {
	s.at++
	for {
		s.plain()
		if s.at == len(s.b) {
			return false, s.wrong("the end of a string")
		}
		switch c := s.b[s.at]; c {
		case '"':
			s.at++
			return escaped, nil
		case '\\':
			escaped = true
			if s.at++; s.at == len(s.b) {
				return false, s.wrong("the end of a string")
			}
			switch s.b[s.at] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				s.at++
			case 'u':
				s.at++
				for range 4 {
					if s.at == len(s.b) || !hex(s.b[s.at]) {
						return false, s.wrong("a hexadecimal digit")
					}
					s.at++
				}
			default:
				return false, s.wrong("one of \"\\/bfnrtu")
			}
		default:
			return false, s.wrong("no control character")
		}
	}
}

// plain goes on to a quote, a backslash, a control character or the end.
func (s *scanner) plain() {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	b := s.b
	for ; s.at+8 <= len(b); s.at += 8 {
		w := binary.LittleEndian.Uint64(b[s.at:])
		quotes, slashes := w^('"'*ones), w^('\\'*ones)
		if ((w-0x20*ones)&^w|(quotes-ones)&^quotes|(slashes-ones)&^slashes)&tops != 0 {
			break
		}
	}
	for s.at < len(b) && b[s.at] != '"' && b[s.at] != '\\' && b[s.at] >= ' ' {
		s.at++
	}
}

func hex(c byte) bool { return c-'0' < 10 || (c|0x20)-'a' < 6 }

func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.b) && s.b[s.at]-'0' < 10 {
		s.at++
	}
	return s.at > from
}

func (s *scanner) number() error {
	if s.b[s.at] == '-' {
		s.at++
	}
	zero := s.at < len(s.b) && s.b[s.at] == '0'
	from := s.at
	if !s.digits() {
		if s.at == from && (from == 0 || s.b[from-1] != '-') {
			return s.wrong("a value")
		}
		return s.wrong("a digit")
	}
	if zero && s.at > from+1 {
		s.at = from + 1
		return s.wrong("no digit behind a zero at the beginning")
	}
	if s.at < len(s.b) && s.b[s.at] == '.' {
		if s.at++; !s.digits() {
			return s.wrong("a digit")
		}
	}
	if s.at < len(s.b) && s.b[s.at]|0x20 == 'e' {
		if s.at++; s.at < len(s.b) && (s.b[s.at] == '+' || s.b[s.at] == '-') {
			s.at++
		}
		if !s.digits() {
			return s.wrong("a digit")
		}
	}
	return nil
}

// unescape returns the text of a string with escapes in it.
func unescape(quoted []byte) []byte {
	var text string
	json.Unmarshal(quoted, &text) // it was read without an error
	return []byte(text)
}
