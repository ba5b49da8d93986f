package format

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// headBytes is how much of an input is looked at to tell what it is.
const headBytes = 4096

// head returns the first bytes of an input, which are read again later. A stream is
// waited for until they are there, or it ends.
func (s *Source) head() ([]byte, error) {
	b := make([]byte, headBytes)
	if s.f != nil {
		n, err := s.f.ReadAt(b, s.off)
		if err == io.EOF {
			err = nil
		}
		return b[:n], err
	}
	n, err := io.ReadFull(s.r, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	s.r = io.MultiReader(bytes.NewReader(b[:n]), s.r)
	return b[:n], err
}

// judge settles the format of an input for which none was asked. Its name goes
// before its content, but what is evidently something else is refused. Without a
// telling name, what looks like text is text; what is neither that nor any known
// format is raw.
func (s *Source) judge(byName Kind, spec Spec) (Kind, error) {
	if byName == NPY || byName == Raw && spec.Opaque {
		return byName, nil // its header tells; bytes that just move may be anything
	}
	head, err := s.head()
	if err != nil {
		return Auto, err
	}
	if byName == Auto && bytes.HasPrefix(head, []byte(npyMagic)) {
		return NPY, nil
	}
	if f := foreignTo(head); f != nil {
		return Auto, fmt.Errorf("this is %s data, no plain numbers: %s; to sort its bytes all the same %s", f.name, f.remedy, spec.ask(Raw))
	}
	switch {
	case byName == Raw && numbersInLines(head):
		return Auto, fmt.Errorf("the name is one of raw data, but the content is lines of numbers: %s; to sort its bytes all the same %s",
			spec.ask(Text), spec.ask(Raw))
	case byName != Auto:
		return byName, nil
	case spec.Opaque && spec.Item != nil && spec.Item.Opaque:
		return Raw, nil // a width in bytes was given
	case looksLikeText(head):
		s.notText = spec.ask(Raw)
		return Text, nil
	}
	return Raw, nil
}

// ask says how to have a source read as k.
func (spec Spec) ask(k Kind) string {
	if spec.KindFlag == "" {
		return "end its name in ." + map[Kind]string{Raw: "raw", Text: "txt", NPY: "npy"}[k]
	}
	return "give " + spec.KindFlag + " " + k.String()
}

// looksLikeText reports whether head is text: without control characters, and valid
// UTF-8 or for three quarters ASCII, as text in older encodings is. Numbers of 4 or 8
// bytes are soon found out: small ones have zero bytes, any other control characters.
func looksLikeText(head []byte) bool {
	if len(head) == 0 {
		return false
	}
	ascii := 0
	for _, c := range bytes.TrimPrefix(head, byteOrderMark) {
		switch {
		case c >= 0x80:
			continue
		case c < ' ' && (c < '\t' || c > '\r'), c == 0x7f:
			return false
		}
		ascii++
	}
	return 4*ascii >= 3*len(head) || utf8.Valid(wholeRunes(head))
}

// wholeRunes leaves out a character that the end of head cuts.
func wholeRunes(head []byte) []byte {
	for i := 1; i < utf8.UTFMax && i < len(head); i++ {
		if c := head[len(head)-i:]; utf8.RuneStart(c[0]) {
			if !utf8.FullRune(c) {
				return head[:len(head)-i]
			}
			break
		}
	}
	return head
}

// numbersInLines reports whether head is made of what numbers in lines are made of,
// and of nothing else.
func numbersInLines(head []byte) bool {
	lines, digits := 0, 0
	for _, c := range bytes.TrimPrefix(head, byteOrderMark) {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case c == '\n':
			lines++
		case bytes.IndexByte([]byte("+-.eE,; \t\r"), c) < 0:
			return false
		}
	}
	return lines > 0 && digits > 1
}

// IsNPY reports whether head begins a NumPy array.
func IsNPY(head []byte) bool { return bytes.HasPrefix(head, []byte(npyMagic)) }

// CheckLines returns an error if head begins a file of a known format that is no text.
func CheckLines(head []byte) error {
	if f := foreignTo(head); f != nil && !looksLikeText(head) {
		return fmt.Errorf("this is %s data, no text: %s", f.name, f.remedy)
	}
	return nil
}
