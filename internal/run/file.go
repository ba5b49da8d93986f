package run

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/gpusort/gpusort/internal/sys/mem"
	"github.com/gpusort/gpusort/internal/sys/steady"
)

// Mapped is the rest of a file as memory.
type Mapped = mem.Mapped

// ErrUnmapped is that of inputs which are to be read.
var ErrUnmapped = mem.ErrUnmapped

// Mappable is an input that may be taken as memory: its rows need not be copied.
type Mappable interface {
	// Map returns the bytes that are still to be read, behind so many of those that were read
	// last. It returns ErrUnmapped if they are to be read instead.
	Map(before int) (*Mapped, error)
}

// MapRest is Map of whatever is read.
func MapRest(r io.Reader, before int) (*Mapped, error) {
	if m, ok := r.(Mappable); ok {
		return m.Map(before)
	}
	return nil, ErrUnmapped
}

// File is an input that may be a regular file.
type File struct {
	*os.File
	keep  bool
	was   steady.State
	least int64 // bytes from which it is mapped; 0: mapFrom
}

// FileInput is the input of a file that is open. Close leaves it open if it is to be kept.
func FileInput(f *os.File, keep bool) File { return File{File: f, keep: keep, was: steady.Of(f)} }

// Close implements io.Closer. It returns an error if the file was written since it became an input, but for what
// became longer.
func (f File) Close() error {
	err := f.was.CheckBegin(f.File)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.Name(), err)
	}
	if !f.keep {
		err = cmp.Or(err, f.File.Close())
	}
	return err
}

const (
	// mapFrom is the size from which a file is mapped. By judgement: it was not measured by itself.
	mapFrom = 1 << 20
	// mapTo is the size up to which it is: places have 32 bits.
	mapTo = math.MaxUint32 - mostEnd
	// mostEnd is how many bytes End may add.
	mostEnd = 16
)

// Map implements Mappable.
func (f File) Map(before int) (*Mapped, error) {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil, ErrUnmapped
	}
	at, err := f.Seek(0, io.SeekCurrent)
	at -= int64(before)
	rest, least := st.Size()-at, f.least
	if least == 0 {
		least = mapFrom
	}
	if err != nil || at < 0 || rest < least || rest > mapTo {
		return nil, ErrUnmapped
	}
	m, err := mem.MapFile(f.File, at, st.Size())
	if err != nil {
		return nil, err
	}
	if cap(m.Text)-len(m.Text) < mostEnd {
		m.Release() // there is no room for the end that the last row may lack
		return nil, ErrUnmapped
	}
	return m, nil
}

// nextOfFile returns the next rows of the file, whole ones of so many bytes, or one that is longer.
func (r *reader) nextOfFile(size int) ([]byte, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	text := r.file.Text
	r.at = r.after
	from := int(r.at)
	if from == len(text) {
		return nil, io.EOF
	}
	for {
		to := from + min(size, len(text)-from)
		if err := r.file.Load(from, to); err != nil {
			return nil, err
		}
		end, err := r.cutFile(from, to)
		if err != nil {
			return nil, err
		}
		if end > from {
			r.after = int64(end)
			r.bytes += int64(min(end, len(text)) - from)
			return r.file.Text[from:end], nil
		}
		if size, err = r.grow(size); err != nil {
			return nil, err
		}
	}
}

// cutFile returns where the last whole row ends that begins and ends at bytes [from, to) of the
// file. The last row of the file gets the end that it lacks.
func (r *reader) cutFile(from, to int) (end int, err error) {
	text := r.file.Text
	err = r.file.Guard(func() error {
		if to < len(text) {
			cut, err := r.format.Cut(text[from:to])
			if end = from + cut; cut == 0 && err != nil {
				return &RowError{r.input(), 1, err}
			}
			return nil
		}
		more, row, err := r.format.End(text[from:])
		switch {
		case err != nil:
			return &RowError{r.input(), row + 1, err}
		case len(more) > mostEnd:
			return fmt.Errorf("the last row lacks %d bytes, more than %d", len(more), mostEnd)
		}
		r.file.Text = append(text, more...) // in place
		end = len(r.file.Text)
		return nil
	})
	return end, err
}
