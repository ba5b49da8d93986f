package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/patient"
	"github.com/gpusort/gpusort/internal/run"
)

// input opens a file, or standard input by the name "-", when it is its turn.
func (l *lineSort) input(ctx context.Context, name string) run.Input {
	in := l.bytesOf(ctx, name)
	if !l.asIs {
		in = l.unpacked(name, in)
	}
	if l.ofRecords() {
		in = l.wholeRecords(name, in)
	}
	return in
}

// saidInput is what messages call the input of a name.
func saidInput(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// bytesOf opens a file as it is.
func (l *lineSort) bytesOf(ctx context.Context, name string) run.Input {
	return func() (io.ReadCloser, error) {
		if name == "-" {
			if f, ok := l.in.(*os.File); ok && regular(f) {
				return l.fileInput(f, true), nil
			}
			return io.NopCloser(patient.Reader{Ctx: ctx, R: l.in}), nil
		}
		f, err := patient.Open(ctx, name, os.O_RDONLY)
		if err != nil {
			return nil, fmt.Errorf("cannot read %w", told(err))
		}
		if regular(f) {
			return l.fileInput(f, false), nil
		}
		return readCloser{patient.Reader{Ctx: ctx, R: f}, f}, nil
	}
}

// fileInput reads a regular file. Its rows may lie in it until they are written, and it must not
// be written meanwhile, unless standard output writes over it.
func (l *lineSort) fileInput(f *os.File, keep bool) io.ReadCloser {
	a, errA := f.Stat()
	b, errB := l.outFile.Stat()
	over := errA == nil && errB == nil && os.SameFile(a, b)
	switch {
	case !over:
		return run.FileInput(f, keep)
	case keep:
		return io.NopCloser(f)
	}
	return f
}

func regular(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode().IsRegular()
}

// size is how many bytes the inputs have, −1 if only reading will tell.
func (l *lineSort) size() int64 {
	total := int64(0)
	for _, name := range l.files {
		var st os.FileInfo
		var err error
		if f, ok := l.in.(*os.File); name == "-" && ok {
			st, err = f.Stat()
		} else if name == "-" {
			return -1
		} else {
			st, err = os.Stat(name)
		}
		// Files of /proc say that they are empty.
		if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
			return -1
		}
		if l.packed[name] {
			return -1
		}
		total += st.Size() + 1
	}
	return total
}

// readSeed reads or draws the bytes that -R shuffles by.
func (l *lineSort) readSeed() error {
	if l.random == "" {
		_, err := rand.Read(l.spec.Seed[:])
		return err
	}
	f, err := os.Open(l.random)
	if err != nil {
		return fmt.Errorf("random bytes: %w", told(err))
	}
	defer f.Close()
	if _, err := io.ReadFull(f, l.spec.Seed[:]); err != nil {
		return fmt.Errorf("random bytes: %s has fewer than %d", l.random, len(l.spec.Seed))
	}
	return nil
}

// sinkOf creates the output of lines.
func (l *lineSort) sinkOf(name string) (*sink, error) {
	kind := format.Text
	if l.ofRecords() {
		kind = format.Raw
	}
	if k := l.toColumns(); k != columns.None {
		s, err := l.createOr(name, format.Raw, "give -o FILE")
		if err == nil {
			l.columnsTo(s)
		}
		return s, err
	}
	if l.asIs {
		return l.createOr(name, kind, "give -o FILE")
	}
	return l.createPacked(name, kind, "give -o FILE")
}
