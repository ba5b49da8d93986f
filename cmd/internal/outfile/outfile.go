// Package outfile writes a file so that the old one survives every failure:
// the new contents go to a temporary file in the same directory, which takes
// the old file's place, by rename, only when it is complete.
package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gpusort/gpusort/cmd/internal/patient"
)

// File is an output that is not yet in its place. One goroutine uses it.
type File struct {
	name string // as the user gave it, for errors
	path string // where it goes: name with symbolic links followed
	f    *os.File
	w    io.Writer   // f, or f with patience
	temp string      // empty when writing straight to a device or pipe
	old  fs.FileInfo // what path holds now, or nil
	done bool
}

// Create starts an output. An existing regular file keeps its contents until
// Commit; symbolic links are followed; what is no regular file (a pipe,
// /dev/null) is written directly. A file that the user may not write is an
// error, although a rename could replace it.
//
// Opening a pipe that nobody reads ends with the error of ctx, and so does a
// write that waits there.
func Create(ctx context.Context, name string) (*File, error) {
	o := &File{name: name, path: name}
	// The links of /dev/fd lead to pipes by names that only they understand.
	if st, err := os.Stat(name); err != nil || st.Mode().IsRegular() {
		o.path = resolve(name)
	}
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
			o.f, o.w = w, patient.Writer{Ctx: ctx, W: w}
			return o, nil
		}
		w.Close()
		o.old = st
	}
	if err := o.createTemp(); err != nil {
		return nil, fmt.Errorf("%s: no temporary file can be made beside it: %w", name, err)
	}
	return o, nil
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
func (o *File) Same(p *File) bool { return o.path == p.path }

// tempBase is how much of an output's name its temporary file has, so that no
// name is too long for the 255 bytes of most file systems.
const tempBase = 200

// createTemp makes the temporary file. A new output gets the permissions that
// the umask leaves; one that replaces a file is private until Commit.
func (o *File) createTemp() (err error) {
	perm := fs.FileMode(0o666)
	if o.old != nil {
		perm = 0o600
	}
	base := filepath.Base(o.path)
	if len(base) > tempBase {
		base = strings.ToValidUTF8(base[:tempBase], "")
	}
	for range 100 {
		temp := filepath.Join(filepath.Dir(o.path), fmt.Sprintf(".gpusort-%s-%08x.tmp", base, rand.Uint32()))
		o.f, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if err == nil {
			o.temp, o.w = temp, o.f
			unfinished.Store(temp, nil)
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return err
}

// Write implements io.Writer. Its errors say that the old file is unchanged.
func (o *File) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		err = o.explain(err)
	}
	return n, err
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
		if errors.As(err, &pe) {
			err = pe.Err
		}
		why = err.Error()
	}
	if o.temp == "" {
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

// Commit puts the file in its place, with the permissions and, where the user
// may set it, the owner of the file it replaces. A replaced file is on the disk
// before it is renamed, so that not even a power cut loses both. After an
// error the old file is unchanged and the temporary one gone.
func (o *File) Commit() error {
	if o.done {
		return errors.New("outfile: Commit after the end")
	}
	if o.temp == "" {
		o.done = true
		if err := o.f.Close(); err != nil {
			return o.explain(err)
		}
		return nil
	}
	defer o.Discard()
	if o.old != nil {
		keepOwner(o.f, o.old)
		if err := o.f.Chmod(o.old.Mode().Perm()); err != nil {
			return o.explain(err)
		}
		if err := o.f.Sync(); err != nil {
			return o.explain(err)
		}
	}
	if err := o.f.Close(); err != nil {
		return o.explain(err)
	}
	if err := os.Rename(o.temp, o.path); err != nil {
		return o.explain(err)
	}
	o.done = true
	unfinished.Delete(o.temp)
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
	if o.temp != "" {
		os.Remove(o.temp)
		unfinished.Delete(o.temp)
	}
}
