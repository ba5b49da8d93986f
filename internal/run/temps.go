package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
)

// temps makes temporary files, in several folders in turn.
type temps struct {
	ctx    context.Context // of what files go through
	dirs   []string
	next   int
	filter string // what the files go through, or none
	most   uint64 // bytes that the files may have at a time, before the filter; 0: any
	used   atomic.Uint64
}

// take counts bytes that are about to be written.
func (t *temps) take(n int) error {
	if used := t.used.Add(uint64(n)); t.most != 0 && used > t.most {
		return fmt.Errorf("temporary files would take more than the %d bytes that they may: allow more, or give more memory", t.most)
	}
	return nil
}

func newTemps(ctx context.Context, o Options) *temps {
	t := &temps{ctx: ctx, dirs: o.Temp, filter: o.Filter, most: o.MostTemp}
	if len(t.dirs) == 0 {
		t.dirs = []string{os.TempDir()}
	}
	return t
}

// create makes a file that is gone when it is closed or the process ends.
func (t *temps) create() (*os.File, error) {
	dir := t.dirs[t.next%len(t.dirs)]
	t.next++
	f, err := createGone(dir)
	switch {
	case errors.Is(err, syscall.EMFILE): // in any folder
		return nil, fmt.Errorf("no temporary file can be made: %w", reason(err))
	case err != nil:
		return nil, fmt.Errorf("no temporary file can be made in %s: %w; name another folder by -T", dir, reason(err))
	}
	return f, nil
}

// reason leaves out what is already said: the operation and the name.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
