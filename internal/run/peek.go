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
	kept := false
	defer func() {
		if !kept {
			r.Close()
		}
	}()
	head = make([]byte, n)
	k, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, nil, err
	}
	if kept = true; k == 0 {
		return nil, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(nil)), nil }, r.Close()
	}
	head = head[:k]
	return head, func() (io.ReadCloser, error) { return Behind(head, r), nil }, nil
}

// PeekUntil is Peek of n bytes, or of twice as many, and so on up to most, until there are enough. whole
// says that the input has no more.
func PeekUntil(in Input, n, most int, enough func(head []byte) bool) (head []byte, whole bool, again Input, err error) {
	again = in
	for n = min(n, most); ; n = min(2*n, most) {
		if head, again, err = Peek(again, n); err != nil {
			return nil, false, nil, err
		}
		if whole = len(head) < n; whole || n == most || enough(head) {
			return head, whole, again, nil
		}
	}
}

// Behind is r with bytes before its own that were read from it last.
func Behind(head []byte, r io.ReadCloser) io.ReadCloser { return &joined{head, r} }

type joined struct {
	head []byte // that is still to be read
	io.ReadCloser
}

// Read implements io.Reader.
func (b *joined) Read(to []byte) (int, error) {
	if len(b.head) == 0 {
		return b.ReadCloser.Read(to)
	}
	n := copy(to, b.head)
	b.head = b.head[n:]
	return n, nil
}

// Map implements Mappable.
func (b *joined) Map(before int) (*Mapped, error) {
	return MapRest(b.ReadCloser, before+len(b.head))
}
