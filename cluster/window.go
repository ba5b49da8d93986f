package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gpusort/gpusort/cluster/internal/store"
)

// window is a file of a store that is read at any place. What will be read of it is brought to a
// temporary file, by few requests.
type window struct {
	ctx      context.Context
	l        store.Location
	size     int64
	file     *os.File // with bytes [from, to), or of this machine with all
	from, to int64
	end      []byte // the last bytes, if they were read
	pos      int64
}

// openLocal opens a file of this machine.
func (w *window) openLocal() (err error) {
	w.file, err = os.Open(w.l.Key)
	w.to = w.size
	return err
}

// fill brings bytes [from, to) to a temporary file.
func (w *window) fill(h *Host, from, to int64) error {
	f, err := os.CreateTemp(cmp.Or(append(h.Temp, "")[0], os.TempDir()), "gpusort-*.tmp")
	if err != nil {
		return err
	}
	os.Remove(f.Name()) // where that is not possible, Close does it
	w.file, w.from, w.to = f, from, to
	r := h.read(w.ctx, w.l, from, to, to)
	defer r.Close()
	if _, err := io.Copy(f, r); err != nil {
		w.Close()
		return fmt.Errorf("%v: %w", w.l, err)
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (w *window) ReadAt(b []byte, at int64) (n int, err error) {
	if at >= w.size {
		return 0, io.EOF
	}
	want := len(b)
	b = b[:min(int64(want), w.size-at)]
	tail := w.size - int64(len(w.end))
	switch {
	case w.file != nil && at >= w.from && at+int64(len(b)) <= w.to:
		n, err = w.file.ReadAt(b, at-w.from)
	case at >= tail:
		n = copy(b, w.end[at-tail:])
	default:
		var got []byte
		got, err = fetch(w.ctx, w.l, at, int64(len(b)))
		n = copy(b, got)
	}
	if err == nil && n < want {
		err = io.EOF
	}
	return n, err
}

// Read implements io.Reader.
func (w *window) Read(b []byte) (int, error) {
	n, err := w.ReadAt(b, w.pos)
	w.pos += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

// Seek implements io.Seeker.
func (w *window) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += w.pos
	case io.SeekEnd:
		offset += w.size
	}
	if offset < 0 {
		return 0, errors.New("a place before the file")
	}
	w.pos = offset
	return offset, nil
}

// Close implements io.Closer.
func (w *window) Close() error {
	if w.file == nil {
		return nil
	}
	f := w.file
	w.file = nil
	err := f.Close()
	if !w.l.Local() {
		os.Remove(f.Name())
	}
	return err
}
