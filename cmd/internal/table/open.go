package table

import (
	"io"
	"os"
)

// Reader is an open file.
type Reader interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
}

// Opener opens a file by its name. Bytes [from, to) of it will be read, and little besides; of an
// empty range, little.
type Opener func(name string, from, to int64) (Reader, error)

// openFile is the Opener of this machine's files.
func openFile(name string, _, _ int64) (Reader, error) { return os.Open(name) }

// sizeOf is a file's size.
func sizeOf(r io.Seeker) (int64, error) {
	n, err := r.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	return n, err
}
