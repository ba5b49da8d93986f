package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/run"
)

// setPacked notes that an input is compressed, and says if unpacking it takes more memory
// than the budget counts.
func (l *lineSort) setPacked(name string, in looked) error {
	inner := strings.TrimSuffix(name, filepath.Ext(name))
	if kind, _ := format.Guess(inner); !l.ofRecords() && (kind == format.Raw || kind == format.NPY) {
		return fmt.Errorf("%s: these are numbers packed by %v, and numbers are not unpacked: unpack them first (%[2]v -dc); to sort their bytes as lines all the same give --format lines", saidInput(name), in.packed)
	}
	if l.packed == nil {
		l.packed = map[string]bool{}
	}
	l.packed[name] = true
	if in.window > packed.Window {
		fmt.Fprintf(l.err, "sort: unpacking %s takes a window of %s, on top of the memory of -S: it was packed by %v for that\n", saidInput(name), units.Bytes(in.window), in.packed)
	}
	return nil
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
		rest := io.Reader(r)
		if err != nil {
			rest = failed{err}
		}
		whole := readCloser{io.MultiReader(bytes.NewReader(head[:n]), rest), r}
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
		notText = errors.New("this is an array of numbers: unpack it first")
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
