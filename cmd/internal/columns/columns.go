// Package columns is what the command knows of files of columns, Parquet and Arrow IPC,
// without the libraries that read them: those are in package table, and in the program
// gpusort-tables alone, because every start of a program pays for what it links.
package columns

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/run"
)

// Kind is a format of tables.
type Kind uint8

// The kinds.
const (
	None Kind = iota
	Parquet
	Arrow  // IPC file, or Feather of version 2
	Stream // Arrow IPC stream
	// Text, which is written and not read as a table.
	CSV
	TSV
	JSON // Lines
)

// Text reports whether a kind is one of text.
func (k Kind) Text() bool { return k >= CSV }

// Columns reports whether a kind is one of files of columns.
func (k Kind) Columns() bool { return k > None && k < CSV }

// Ending is the end of the names of such files.
func (k Kind) Ending() string {
	return [...]string{"", ".parquet", ".arrow", ".arrows", ".csv", ".tsv", ".jsonl"}[k]
}

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"no table", "Parquet", "Arrow", "an Arrow stream", "CSV", "TSV", "JSON Lines"}[k]
}

// Of is what a file that begins with head is.
func Of(head []byte) Kind {
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")), bytes.HasPrefix(head, []byte("PARE")):
		return Parquet
	case bytes.HasPrefix(head, []byte("ARROW1\x00\x00")):
		return Arrow
	case len(head) >= 8 && bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")) && head[7] == 0 && head[4]|head[5]|head[6] != 0:
		return Stream // a message's length follows, which is a multiple of 8
	}
	return None
}

// ByName is what the name of a file says it is.
func ByName(name string) Kind {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".parquet", ".pq", ".parq":
		return Parquet
	case ".arrow", ".feather", ".ipc":
		return Arrow
	case ".arrows":
		return Stream
	}
	return None
}

// ByOutput is as what a file of that name is written; compressed text has its own ending
// before the last one.
func ByOutput(name string) Kind {
	switch strings.ToLower(filepath.Ext(packed.Inner(name))) {
	case ".csv":
		return CSV
	case ".tsv", ".tab":
		return TSV
	case ".jsonl", ".ndjson":
		return JSON
	}
	return ByName(name)
}

// Options say how to sort a table. Of those of package run, the format and the order are the
// table's, and the budget is the whole process's.
type Options struct {
	run.Options
	By          []by.Key
	Compression string // of the output, one of Compressions; none: as in the input
	GroupRows   int    // most rows of a row group or batch; 0: as many as the input's
	As          Kind   // of the output, if it is not that of the input
}

// Compressions are the names of the codecs that an output may have.
func Compressions() []string { return []string{"none", "snappy", "gzip", "brotli", "zstd", "lz4"} }

// Compresses returns an error if files of a kind are not written by a codec.
func (k Kind) Compresses(codec string) error {
	switch {
	case codec == "" || k == None || k == Parquet:
	case k.Text():
		return errors.New("--compression is of Parquet and Arrow: a text is compressed if its name ends in .gz, .zst or .lz4")
	case codec != "none" && codec != "zstd" && codec != "lz4":
		return errors.New("--compression: an Arrow file is compressed by zstd or lz4, or not: give one of these")
	}
	return nil
}

// Table is files of one schema, one after another.
type Table interface {
	Files() []string
	Kind() Kind
	// Columns are the names of the columns.
	Columns() []string
	// Explain says what would be sorted by what, a line each.
	Explain(Options) ([]string, error)
	// Sort writes the rows in order to w.
	Sort(ctx context.Context, o Options, w io.Writer) (run.Stats, error)
	// Check returns the first row that is out of order, from 1, or 0.
	Check(ctx context.Context, o Options) (row int64, err error)
}
