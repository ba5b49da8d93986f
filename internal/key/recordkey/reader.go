package recordkey

import (
	"fmt"
	"io"

	"github.com/gpusort/gpusort/internal/run"
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

// Map implements run.Mappable, for whole records.
func (r *Reader) Map(before int) (*run.Mapped, error) {
	m, err := run.MapRest(r.ReadCloser, before)
	if err == nil && (r.read-int64(before)+int64(len(m.Text)))%int64(r.Size) != 0 {
		m.Release()
		err = run.ErrUnmapped // reading tells what is wrong
	}
	return m, err
}
