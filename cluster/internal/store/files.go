package store

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
)

// files is the Store of this machine's files, whose keys are absolute paths. A file is written
// beside its name, then linked or renamed, so that no one sees a part of it.
type files struct{}

// unfinished is what the names of files that are being written begin and end with.
const unfinished, unfinishedEnd = ".gpusort-", ".tmp"

func isUnfinished(name string) bool {
	return strings.HasPrefix(name, unfinished) && strings.HasSuffix(name, unfinishedEnd)
}

// walk calls f for each file below the folder of a prefix.
func walk(ctx context.Context, prefix string, f func(name string, e fs.DirEntry) error) error {
	root := prefix[:strings.LastIndexByte(prefix, '/')+1]
	err := filepath.WalkDir(filepath.FromSlash(root), func(name string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case e.IsDir() && name != strings.TrimSuffix(root, "/") && name != root && !strings.HasPrefix(name+"/", prefix) && !strings.HasPrefix(prefix, name+"/"):
			return fs.SkipDir
		case e.IsDir() || !strings.HasPrefix(name, prefix):
			return nil
		}
		return f(name, e)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (files) List(ctx context.Context, prefix string, f func(Object) error) error {
	return walk(ctx, prefix, func(name string, e fs.DirEntry) error {
		st, err := os.Stat(filepath.FromSlash(name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil || !st.Mode().IsRegular() || isUnfinished(e.Name()) {
			return err
		}
		return f(Object{name, st.Size()})
	})
}

func (files) Open(_ context.Context, key string, at, n int64) (io.ReadCloser, error) {
	f, err := os.Open(filepath.FromSlash(key))
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(f, at, n), f}, nil
}

func (files) Size(_ context.Context, key string) (int64, error) {
	st, err := os.Stat(filepath.FromSlash(key))
	if err != nil {
		return 0, err
	}
	if st.IsDir() {
		return 0, &fs.PathError{Op: "open", Path: key, Err: errors.New("it is a folder: end its name with a slash to have all files below it")}
	}
	return st.Size(), nil
}

func (files) Create(_ context.Context, key string, _ int64, _ uint64) (Writer, error) {
	name := filepath.FromSlash(key)
	f, err := createIn(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	return &fileWriter{f, name}, nil
}

// createIn makes a file that is to get another name, and its folder. It has the permissions that
// the umask leaves.
func createIn(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s%016x%s", unfinished, rand.Uint64(), unfinishedEnd)
	return os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

type fileWriter struct {
	*os.File
	name string
}

func (w *fileWriter) Commit() error { return w.end(os.Rename) }

// end closes the file and has place give it its name.
func (w *fileWriter) end(place func(from, to string) error) error {
	err := w.Close()
	if err == nil {
		err = place(w.File.Name(), w.name)
	}
	os.Remove(w.File.Name()) // a name that it has no more if it was renamed
	return err
}

func (w *fileWriter) Abort() {
	w.Close()
	os.Remove(w.File.Name())
}

func (f files) Put(ctx context.Context, key string, data []byte, fresh bool) error {
	w, err := f.Create(ctx, key, 0, 0)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		w.Abort()
		return err
	}
	if fresh {
		return w.(*fileWriter).end(os.Link)
	}
	return w.Commit()
}

func (files) Delete(_ context.Context, key string) error {
	if err := os.Remove(filepath.FromSlash(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (files) Sweep(ctx context.Context, prefix string) (n int, err error) {
	prefix = prefix[:strings.LastIndexByte(prefix, '/')+1]
	err = walk(ctx, prefix, func(name string, e fs.DirEntry) error {
		if !isUnfinished(e.Name()) {
			return nil
		}
		n++
		return os.Remove(filepath.FromSlash(name))
	})
	return n, err
}
