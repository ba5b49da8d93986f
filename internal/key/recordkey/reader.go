package recordkey

import (
	"fmt"
	"io"
)

// Reader reads whole records: an input that ends within one ends with an error.
type Reader struct {
	io.ReadCloser
	Name string // of the input, for the error
	Size int    // of a record

	read int64
}

// Read implements io.Reader.
func (r *Reader) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	r.read += int64(n)
	if over := r.read % int64(r.Size); err == io.EOF && over != 0 {
		err = fmt.Errorf("%s has %d bytes, no multiple of the record's %d: %d are left over; is --record right?", r.Name, r.read, r.Size, over)
	}
	return n, err
}
