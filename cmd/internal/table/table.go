package table

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/sys/steady"
)

// Kind is a format of tables.
type Kind = columns.Kind

// The kinds, as columns has them.
const (
	None    = columns.None
	Parquet = columns.Parquet
	Arrow   = columns.Arrow
	Stream  = columns.Stream
)

// source is a table that is read.
type source interface {
	kind() Kind
	// orderBy settles the keys, and what rows look like.
	orderBy([]by.Key) error
	keys() []*fieldKey
	// describe says what a key is.
	describe(key int) string
	// names are those of the columns.
	names() []string
	// pieces are all rows; a piece is read on its own.
	pieces() []piece
	// size is how many rows there are, −1 if only reading will tell.
	size() int64
	// newSink writes a table of the same columns to w, with so many bytes of rows in a group.
	newSink(w io.Writer, o Options, groupBytes int) (sink, error)
}

// sink takes blocks of whole rows.
type sink interface {
	io.Writer
	// close writes what is left. Behind stop it is not called.
	close() error
	stop()
}

// Table is files of one schema, one after another.
type Table struct {
	Names []string // of the files
	were  []steady.State
	source
}

// unchanged returns an error if one of the files was written, or replaced, since the table was opened.
func (t *Table) unchanged() error {
	for i, was := range t.were {
		if err := was.CheckName(t.Names[i]); err != nil {
			return fmt.Errorf("%s: %w", t.Names[i], err)
		}
	}
	return nil
}

// Open opens files. A folder stands for the files in it and its folders that are named
// like tables, in the order of their names.
func Open(names []string) (*Table, error) {
	t := &Table{}
	for _, name := range names {
		all, err := filesIn(name)
		if err != nil {
			return nil, err
		}
		t.Names = append(t.Names, all...)
	}
	kind, first := None, ""
	for _, name := range t.Names {
		t.were = append(t.were, steady.OfName(name))
		k, err := kindOf(name)
		if err != nil {
			return nil, err
		}
		if kind == None {
			kind, first = k, name
		}
		if k != kind {
			return nil, fmt.Errorf("%s is %v and %s is %v: sort files of one kind", first, kind, name, k)
		}
	}
	var err error
	switch kind {
	case Parquet:
		t.source, err = openParquets(t.Names, openFile)
	default:
		t.source, err = openArrows(kind, t.Names, openFile, false)
	}
	return t, err
}

// filesIn is the file of a name, or those of a folder.
func filesIn(name string) (all []string, err error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return []string{name}, nil
	}
	err = filepath.WalkDir(name, func(path string, e fs.DirEntry, err error) error {
		switch base := filepath.Base(path); {
		case err != nil:
			return err
		case path == name:
		case strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_"):
			// Others leave such names out, too: unfinished files, and what was done.
			if e.IsDir() {
				return fs.SkipDir
			}
		case !e.IsDir() && columns.ByName(path) != None:
			all = append(all, path)
		}
		return nil
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: no file in this folder is named .parquet, .arrow or .feather", name)
	}
	return all, err
}

// kindOf looks at a file.
func kindOf(name string) (Kind, error) {
	f, err := os.Open(name)
	if err != nil {
		return None, err
	}
	defer f.Close()
	var head [8]byte
	n, err := io.ReadFull(f, head[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return None, err
	}
	k := columns.Of(head[:n])
	if k == None {
		return None, fmt.Errorf("%s: this is neither a Parquet nor an Arrow file", name)
	}
	return k, nil
}

// Kind is what the files are.
func (t *Table) Kind() Kind { return t.kind() }

// Columns are the names of the columns.
func (t *Table) Columns() []string { return t.names() }

// Rows is how many there are, −1 if only reading will tell.
func (t *Table) Rows() int64 { return t.size() }
