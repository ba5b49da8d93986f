package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

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
		case "version":
			return []string{"version"}, nil
		}
	}
	tree := append([]string{"sort"}, canonical(options, files)...)
	if numbers(options, files) {
		for _, o := range options {
			if !ofNumbers[o.flag.Name] && !ofBoth[o.flag.Name] {
				return nil, usageOfLines("--%s sorts lines, and other flags or names here mean numbers: leave it out, or give --format lines", o.flag.Name)
			}
		}
		return tree, nil
	}
	l, err := newLineSort(s, options, files)
	if err != nil {
		return nil, err
	}
	if l.ofColumns(ctx) {
		return nil, l.runColumns(ctx)
	}
	array, err := l.look(ctx, options)
	if err != nil {
		return nil, err
	}
	if array {
		return tree, nil
	}
	return nil, l.run(ctx)
}

// lookBytes is how much of an input is looked at to tell what it is.
const lookBytes = 4096

// look refuses inputs that are known to be no text. It reports whether the one input is
// an .npy array whose numbers are to be sorted, as no option speaks of lines.
func (l *lineSort) look(ctx context.Context, options []given) (array bool, err error) {
	files := l.files
	if len(files) == 0 && l.names0 == "" {
		files = []string{"-"}
	}
	array = len(files) == 1 && !slices.ContainsFunc(options, func(o given) bool { return !ofBoth[o.flag.Name] })
	for _, o := range options {
		if o.flag.Name == "format" && !slices.Contains(tableKinds, o.value) {
			l.asIs = true
			return false, nil // lines were asked for
		}
	}
	for _, name := range files {
		head, said := l.head(ctx, name), saidInput(name)
		if packed.Of(head) != packed.None {
			if err := l.setPacked(name, said, head); err != nil {
				return false, err
			}
			array = false
			continue
		}
		if l.ofRecords() {
			continue
		}
		if array && format.IsNPY(head) {
			return true, nil
		}
		if err := format.CheckLines(head); err != nil {
			return false, fmt.Errorf("%s: %w; to sort its bytes as lines all the same give --format lines", said, err)
		}
	}
	return false, nil
}

// head returns the first bytes of an input, which are read again later. Of standard
// input that is a pipe these are what arrives first.
func (l *lineSort) head(ctx context.Context, name string) []byte {
	b := make([]byte, lookBytes)
	if name != "-" {
		st, err := os.Stat(name)
		if err != nil || !st.Mode().IsRegular() {
			return nil // an error comes when it is opened; of a pipe the reader would be gone
		}
		f, err := os.Open(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		n, _ := f.ReadAt(b, 0)
		return b[:n]
	}
	if f, ok := l.in.(*os.File); ok && regular(f) {
		at, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil
		}
		n, _ := f.ReadAt(b, at)
		return b[:n]
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
	return b[:n]
}
