// Package outfile writes a file so that the old one survives every failure:
// the new contents go to a temporary file in the same directory, which takes
// the old file's place, by rename, only when it is complete. Where the system has
// files without a name (Linux, on most file systems) the temporary one has none until
// then, so that not even a kill leaves it behind.
package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gpusort/gpusort/cmd/internal/patient"
	"github.com/gpusort/gpusort/internal/sys/extent"
)

// File is an output that is not yet in its place. One goroutine uses it.
type File struct {
	name  string // as the user gave it, for errors
	path  string // where it goes: name with symbolic links followed
	f     *os.File
	w     io.Writer    // to f
	grows *extent.File // w, if it is a temporary file
	temp  string       // the temporary file's name, empty if it has none
	old   fs.FileInfo  // what path holds now, or nil
	done  bool
	// direct: written straight to a device or pipe, without a temporary file.
	direct bool
}

// Direct reports whether what is written goes to its place at once, as with a pipe.
func (o *File) Direct() bool { return o.direct }

// Create starts an output. An existing regular file keeps its contents until
// Commit; symbolic links are followed; what is no regular file (a pipe,
// /dev/null) is written directly. A file that the user may not write is an
// error, although a rename could replace it.
//
// Opening a pipe that nobody reads ends with the error of ctx, and so does a
// write that waits there.
func Create(ctx context.Context, name string) (*File, error) {
	o := &File{name: name, path: place(name)}
	st, err := os.Stat(o.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, fmt.Errorf("%s is a directory: name a file", name)
	default:
		w, err := patient.Open(ctx, o.path, os.O_WRONLY)
		if err != nil {
			return nil, err
		}
		if !st.Mode().IsRegular() {
			o.f, o.w, o.direct = w, patient.Writer{Ctx: ctx, W: w}, true
			return o, nil
		}
		w.Close()
		if !replaceable(st, filepath.Dir(o.path)) {
			return nil, fmt.Errorf("%s cannot be replaced: it belongs to another user, and in its directory only owners may remove files (sticky bit); give another name", name)
		}
		o.old = st
	}
	if err := o.createTemp(); err != nil {
		return nil, fmt.Errorf("%s: no temporary file can be made beside it: %w", name, err)
	}
	return o, nil
}

// Creatable returns the error that Create would return, and leaves nothing. It opens no pipes
// and devices, whose other ends would see it.
func Creatable(ctx context.Context, name string) error {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		return nil
	}
	o, err := Create(ctx, name)
	if err == nil {
		o.Discard()
	}
	return err
}

// place is where an output goes: its name, with symbolic links followed but for those of
// /dev/fd, which lead to pipes by names that only they understand.
func place(name string) string {
	if st, err := os.Stat(name); err != nil || st.Mode().IsRegular() {
		return resolve(name)
	}
	return name
}

// resolve follows symbolic links, also those to a file that does not exist yet.
func resolve(name string) string {
	for range 40 { // as many as Linux follows
		if p, err := filepath.EvalSymlinks(name); err == nil {
			name = p
			break
		}
		to, err := os.Readlink(name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	if p, err := filepath.Abs(name); err == nil {
		name = p
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(dir, filepath.Base(name))
	}
	return name
}

// Same reports whether two outputs would take the same place.
func Same(a, b string) bool { return place(a) == place(b) }

// Write implements io.Writer. Its errors say that the old file is unchanged.
func (o *File) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		err = o.explain(err)
	}
	return n, err
}

// Trim gives back the room on the disk that is reserved for more.
func (o *File) Trim() error {
	if o.direct {
		return nil
	}
	if err := o.grows.Trim(); err != nil {
		return o.explain(err)
	}
	return nil
}

func (o *File) explain(err error) error {
	var why string
	switch {
	case errors.Is(err, syscall.ENOSPC):
		why = "no space left on the device"
	case errors.Is(err, syscall.EFBIG):
		why = "the file would pass the size limit (ulimit -f)"
	default:
		var pe *fs.PathError
		var le *os.LinkError
		switch {
		case errors.As(err, &pe):
			err = pe.Err
		case errors.As(err, &le):
			err = le.Err
		}
		why = err.Error()
	}
	if o.direct {
		return fmt.Errorf("writing %s: %s%w", o.name, why, silent{err})
	}
	return fmt.Errorf("writing %s: %s; %s%w", o.name, why, o.state(), silent{err})
}

// state says what is at the output's place after a failure.
func (o *File) state() string {
	if o.old != nil {
		return "the old file is unchanged"
	}
	return "nothing was left there"
}

// silent keeps an error for errors.Is without repeating its text.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// Commit puts the file in its place, with the permissions, the extended attributes
// and, where the user may set it, the owner of the file it replaces. A replaced file is
// on the disk before it is renamed, so that not even a power cut loses both. After an
// error the old file is unchanged and the temporary one gone.
func (o *File) Commit() error {
	if o.done {
		return errors.New("outfile: Commit after the end")
	}
	if o.direct {
		o.done = true
		if err := o.f.Close(); err != nil {
			return o.explain(err)
		}
		return nil
	}
	defer o.Discard()
	if err := o.Trim(); err != nil {
		return err
	}
	if o.old != nil {
		if err := inherit(o.f, o.old, o.path); err != nil {
			return o.explain(err)
		}
		if err := o.f.Sync(); err != nil {
			return o.explain(err)
		}
	}
	if err := o.place(); err != nil {
		return o.explain(err)
	}
	o.done = true
	return nil
}

// Discard gives the output up and removes the temporary file. After Commit it
// does nothing.
func (o *File) Discard() {
	if o.done {
		return
	}
	o.done = true
	o.f.Close()
	o.removeTemp()
}
