package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/internal/sys/extent"
)

// tempBase is how much of an output's name its temporary file has, so that no
// name is too long for the 255 bytes of most file systems.
const tempBase = 200

// nameless makes a file without a name in a directory. A test can take it away.
var nameless = openNameless

// createTemp makes the temporary file. A new output gets the permissions that
// the umask leaves; one that replaces a file is private until Commit.
func (o *File) createTemp() (err error) {
	perm := fs.FileMode(0o666)
	if o.old != nil {
		perm = 0o600
	}
	if f, err := nameless(filepath.Dir(o.path), perm); err == nil {
		o.keep(f)
		return nil
	}
	return o.named(func(temp string) (err error) {
		f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if err == nil {
			o.keep(f)
		}
		return err
	})
}

// keep makes f, an empty file, the output.
func (o *File) keep(f *os.File) {
	o.f, o.grows = f, extent.New(f)
	o.w = o.grows
}

// named calls create with names beside the output until one is free, which is then
// the temporary file's.
func (o *File) named(create func(temp string) error) (err error) {
	base := filepath.Base(o.path)
	if len(base) > tempBase {
		base = strings.ToValidUTF8(base[:tempBase], "")
	}
	for range 100 {
		temp := filepath.Join(filepath.Dir(o.path), fmt.Sprintf(".gpusort-%s-%08x.tmp", base, rand.Uint32()))
		if err = create(temp); err == nil {
			o.temp = temp
			unfinished.Store(temp, nil)
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return err
}

// place gives the complete file the output's name and closes it. A file without a
// name can take a name that is free, and no other: for the moment of replacing a file
// it has a temporary one.
func (o *File) place() error {
	if o.temp == "" {
		if o.old == nil {
			err := link(o.f, o.path)
			if err == nil {
				return o.f.Close()
			}
			if !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		if err := o.named(func(temp string) error { return link(o.f, temp) }); err != nil {
			return err
		}
	}
	if err := o.f.Close(); err != nil {
		return err
	}
	if err := os.Rename(o.temp, o.path); err != nil {
		return err
	}
	unfinished.Delete(o.temp)
	return nil
}

// removeTemp removes the temporary file's name, if it has one.
func (o *File) removeTemp() {
	if o.temp != "" {
		os.Remove(o.temp)
		unfinished.Delete(o.temp)
	}
}
