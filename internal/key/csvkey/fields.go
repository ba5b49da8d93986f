package csvkey

import (
	"bytes"
	"fmt"
)

// Fields appends the texts of a row's fields, without the quotes around them. What is not
// there, not even as quotes, is nil.
func (f *Format) Fields(dst [][]byte, row []byte) ([][]byte, error) {
	row = bytes.TrimSuffix(bytes.TrimSuffix(row, []byte{'\n'}), []byte{'\r'})
	for at := 0; at <= len(row); {
		text, next, err := field(row, at, f.separator)
		switch {
		case err != nil:
			return dst, fmt.Errorf("field %d: %w", len(dst)+1, err)
		case len(text) == 0:
			text = nil
		case text[0] == quote:
			if text = text[1 : len(text)-1]; bytes.IndexByte(text, quote) >= 0 {
				text = bytes.ReplaceAll(text, []byte{quote, quote}, []byte{quote})
			}
		}
		dst, at = append(dst, text), next
	}
	return dst, nil
}
