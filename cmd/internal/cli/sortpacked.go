package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/run"
)

// setPacked notes that an input is compressed, and says if unpacking it takes more memory
// than the budget counts.
func (l *lineSort) setPacked(name string, in looked) {
	if l.packed == nil {
		l.packed = map[string]bool{}
	}
	l.packed[name] = true
	l.tellWindow(saidInput(name), in.packed, in.window)
}

// tellWindow says that unpacking an input takes more memory than the budget counts.
func (a *app) tellWindow(said string, k packed.Kind, window uint64) {
	if window > packed.Window {
		fmt.Fprintf(a.err, "sort: unpacking %s takes a window of %s, on top of the memory of -S: it was packed by %v for that\n", said, units.Bytes(window), k)
	}
}

// unpacking is the memory that unpacking inputs and packing the output take.
func (l *lineSort) unpacking() (bytes uint64) {
	if len(l.packed) > 0 && !l.merge {
		bytes = packed.Decoder // of one at a time
	}
	if packed.ByName(l.output) != packed.None && !l.asIs {
		bytes += packed.Encoder
	}
	return bytes
}

// packing is the memory that unpacking inputs and packing outputs of numbers take.
func (f *sortFiles) packing(s *sortCmd) (bytes uint64) {
	for _, in := range []*format.Source{f.keys, f.values} {
		if in != nil && in.Packed != packed.None {
			bytes += packed.Decoder
		}
	}
	for _, name := range []string{s.output, s.valuesOut} {
		if packed.ByName(name) != packed.None {
			bytes += packed.Encoder
		}
	}
	return bytes
}

// unpacked unpacks an input whose first bytes say that it is compressed.
func (l *lineSort) unpacked(name string, in run.Input) run.Input {
	name = saidInput(name)
	return func() (io.ReadCloser, error) {
		r, err := in()
		if err != nil {
			return nil, err
		}
		head, n := make([]byte, packed.HeadBytes), 0
		for err == nil && packed.Begins(head[:n]) {
			var k int
			k, err = r.Read(head[n:])
			n += k
		}
		whole := run.Behind(head[:n], r)
		if err != nil {
			whole = readCloser{io.MultiReader(bytes.NewReader(head[:n]), failed{err}), r}
		}
		k := packed.Of(head[:n])
		if k == packed.None {
			return whole, nil
		}
		u, err := packed.NewReader(k, whole)
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return l.textOf(&named{u, name}, name)
	}
}

// textOf returns an error if what was unpacked is known to be no text.
func (l *lineSort) textOf(u io.ReadCloser, name string) (io.ReadCloser, error) {
	if l.ofRecords() {
		return u, nil
	}
	head := make([]byte, lookBytes)
	n, err := io.ReadFull(u, head)
	head = head[:n]
	rest := io.Reader(u)
	if err != nil {
		if rest = (failed{err}); err == io.ErrUnexpectedEOF {
			rest = failed{io.EOF}
		}
	}
	notText := format.CheckLines(head)
	if format.IsNPY(head) {
		notText = errors.New("this is an array of numbers: give --format npy")
	}
	if err := notText; err != nil {
		u.Close()
		return nil, fmt.Errorf("%s, unpacked: %w", name, err)
	}
	return readCloser{io.MultiReader(bytes.NewReader(head), rest), u}, nil
}

// readCloser reads and closes different things.
type readCloser struct {
	io.Reader
	io.Closer
}

// failed is a reader that has failed.
type failed struct{ err error }

// Read implements io.Reader.
func (f failed) Read([]byte) (int, error) { return 0, f.err }

// named has errors of reading begin with a name.
type named struct {
	io.ReadCloser
	name string
}

// Read implements io.Reader.
func (n *named) Read(b []byte) (int, error) {
	k, err := n.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", n.name, err)
	}
	return k, err
}
