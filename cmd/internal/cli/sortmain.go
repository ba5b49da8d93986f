package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/cmd/internal/patient"
)

// sortMain runs "sort" with the arguments behind that word, where they sort lines. The
// tree of all commands is not made for it, so that it starts at once. For all else it
// returns a command line that the tree understands.
func (a *app) sortMain(ctx context.Context, args []string) (rest []string, err error) {
	s := &sortCmd{app: a}
	c := s.command()
	options, files, err := parseSort(c.Flags(), args)
	if err != nil {
		return nil, usageError{err, "gpusort sort"}
	}
	for _, o := range options {
		switch o.flag.Name {
		case "help":
			return []string{"sort", "--help"}, nil
		case "engine":
			return nil, usageOfLines("--engine is not abbreviated: another program reads it")
		case "version":
			return []string{"version"}, nil
		}
	}
	if err := set(options); err != nil {
		return nil, err
	}
	m, by := s.mode(options, files)
	tree := append([]string{"sort"}, canonical(options, files)...)
	if m == modeNumbers {
		if err := refuse(options, m, by); err != nil {
			return nil, err
		}
		return tree, nil
	}
	l, err := newLineSort(s, files)
	if err != nil {
		return nil, err
	}
	if l.toColumns() != columns.None && OpenTables == nil {
		if err := l.misnamed(l.saidRows()); err != nil { // what only the content says, the other program finds
			return nil, err
		}
		return nil, startTables()
	}
	if name := l.ofColumns(ctx); name != "" {
		m, by = modeColumns, name
	}
	if m == modeTable && l.toColumns() != columns.None {
		m |= modeColumns // for --compression and --row-group
	}
	if err := refuse(options, cmp.Or(m, modeLines), by); err != nil {
		return nil, err
	}
	if m == modeColumns {
		a.await()
		return nil, l.runColumns(ctx)
	}
	array, err := l.look(ctx, m == 0 && refuse(options, modeNumbers, "") == nil)
	if err != nil {
		return nil, err
	}
	if array {
		return tree, nil
	}
	a.await()
	return nil, l.run(ctx)
}

// lookBytes is how much of an input is looked at to tell what it is.
const lookBytes = 4096

// looked is what an input is found to be.
type looked struct {
	err     error // it cannot be read
	columns columns.Kind
	packed  packed.Kind
	window  uint64 // that unpacking takes
	npy     bool
	notText error
}

// lookAt looks at an input, once.
func (l *lineSort) lookAt(ctx context.Context, name string) looked {
	if in, ok := l.seen[name]; ok {
		return in
	}
	head, err := l.head(ctx, name)
	in := looked{err: err, columns: columns.Of(head), packed: packed.Of(head), npy: format.IsNPY(head), notText: format.CheckLines(head)}
	in.window = packed.WindowOf(in.packed, head)
	if l.seen == nil {
		l.seen = map[string]looked{}
	}
	l.seen[name] = in
	return in
}

// look refuses inputs that cannot be read or are known to be no text. It reports whether the
// one input is an .npy array, which may be meant.
func (l *lineSort) look(ctx context.Context, arrays bool) (array bool, err error) {
	if len(l.files) == 0 {
		l.files = []string{"-"}
	}
	for _, name := range l.files {
		in := l.lookAt(ctx, name)
		switch {
		case in.err != nil && !l.checking():
			return false, in.err
		case in.err != nil, l.asIs && !l.ofRecords():
		case in.packed != packed.None && !l.asIs:
			l.setPacked(name, in)
		case l.ofRecords():
		case in.npy && arrays && len(l.files) == 1:
			return true, nil
		case in.notText != nil:
			return false, fmt.Errorf("%s: %w; to sort its bytes as lines all the same give --format lines", saidInput(name), in.notText)
		}
	}
	return false, nil
}

// head returns the first bytes of an input, which are read again later. Of standard
// input that is a pipe these are what arrives first.
func (l *lineSort) head(ctx context.Context, name string) ([]byte, error) {
	b := make([]byte, lookBytes)
	if name != "-" {
		st, err := os.Stat(name)
		if err == nil && st.IsDir() {
			return nil, fmt.Errorf("cannot read %s: it is a directory", name)
		}
		if err == nil && !st.Mode().IsRegular() {
			return nil, nil // of a pipe, what is read would be gone
		}
		var f *os.File
		if err == nil {
			f, err = os.Open(name)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %w", told(err))
		}
		defer f.Close()
		n, _ := f.ReadAt(b, 0) // an error comes again when all is read
		return b[:n], nil
	}
	if f, ok := l.in.(*os.File); ok && regular(f) {
		at, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, nil
		}
		n, _ := f.ReadAt(b, at)
		return b[:n], nil
	}
	// An error comes again when the rest is read.
	in := patient.Reader{Ctx: ctx, R: l.in}
	n, err := io.ReadAtLeast(in, b, 8)
	for err == nil && packed.Begins(b[:n]) {
		var k int
		k, err = in.Read(b[n:])
		n += k
	}
	l.in = io.MultiReader(bytes.NewReader(b[:n]), l.in)
	return b[:n], nil
}
