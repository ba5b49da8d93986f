// Package unpack reads files that are compressed as a whole, by the decoders of gpusort sort, for
// processes that share a sort.
package unpack

import (
	"bytes"
	"errors"
	"io"

	"github.com/gpusort/gpusort/cmd/internal/packed"
)

// Memory is the most bytes that a reader takes, but of streams that were packed with a window of
// more than 8 MiB.
const Memory = packed.Decoder

// Inner is the name of what is in a file whose name says that it is compressed; ok tells whether
// it does: by .gz, .zst, .lz4, .bz2 or .xz.
func Inner(name string) (inner string, ok bool) {
	return packed.Inner(name), packed.ByName(name) != packed.None
}

// Reader unpacks in, by what it begins with. Errors are those of in, or what wrong makes of one of
// the compressed data, which another try will have, too.
func Reader(in io.ReadCloser, wrong func(error) error) (io.ReadCloser, error) {
	s := &source{in, wrong, nil}
	head := make([]byte, packed.HeadBytes)
	n, _ := io.ReadFull(s, head)
	if s.err != nil {
		return nil, s.err
	}
	k := packed.Of(head[:n])
	if k == packed.None {
		return nil, wrong(errors.New("its name says that it is compressed, and it begins like no data of gzip, zstd, lz4, bzip2 or xz: rename it, or pack it again"))
	}
	u, err := packed.NewReader(k, readCloser{io.MultiReader(bytes.NewReader(head[:n]), s), s})
	if err != nil {
		return nil, s.of(err)
	}
	return &reader{u, s}, nil
}

// readCloser reads and closes different things.
type readCloser struct {
	io.Reader
	io.Closer
}

// source remembers its error.
type source struct {
	io.ReadCloser
	wrong func(error) error
	err   error
}

// Read implements io.Reader.
func (s *source) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// of tells an error of the source from one of its data.
func (s *source) of(err error) error {
	if s.err != nil {
		return s.err
	}
	return s.wrong(err)
}

// reader unpacks.
type reader struct {
	io.ReadCloser
	in *source
}

// Read implements io.Reader.
func (r *reader) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		err = r.in.of(err)
	}
	return n, err
}
