package run

import (
	"bytes"
	"io"
)

// Peek opens an input and reads its first n bytes, fewer only if it has no more. again is the
// whole input, these bytes included; it opens once.
func Peek(in Input, n int) (head []byte, again Input, err error) {
	r, err := in()
	if err != nil {
		return nil, nil, err
	}
	head = make([]byte, n)
	k, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		r.Close()
		return nil, nil, err
	}
	if k == 0 {
		return nil, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(nil)), nil }, r.Close()
	}
	head = head[:k]
	return head, func() (io.ReadCloser, error) { return Behind(head, r), nil }, nil
}

// Behind is r with more bytes before its own.
func Behind(head []byte, r io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), r), r}
}
