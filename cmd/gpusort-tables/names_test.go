package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/internal/check/soak"
)

// outputNames are the endings of outputs; each is tried with those of compressed files, too.
var outputNames = []string{"", ".txt", ".csv", ".tsv", ".jsonl", ".parquet", ".arrow", ".arrows", ".npy", ".bin", ".u32"}

// fits returns an error if a file is not what its name says. Rows of text have so many fields.
func fits(name string, fields int) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if k := packed.ByName(name); k != packed.None {
		if packed.Of(b) != k {
			return fmt.Errorf("it is not compressed by %v", k)
		}
		r, err := packed.NewReader(k, io.NopCloser(bytes.NewReader(b)))
		if err != nil {
			return err
		}
		if b, err = io.ReadAll(r); err != nil {
			return err
		}
	}
	comma := ','
	switch filepath.Ext(packed.Inner(name)) {
	case ".txt":
		if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
			return fmt.Errorf("no text: %q", b)
		}
	case ".tsv":
		comma = '\t'
		fallthrough
	case ".csv":
		r := csv.NewReader(bytes.NewReader(b))
		r.Comma, r.FieldsPerRecord = comma, fields
		_, err = r.ReadAll()
	case ".jsonl":
		for line := range bytes.Lines(b) {
			if !json.Valid(line) {
				return fmt.Errorf("no JSON: %q", line)
			}
		}
	case ".parquet":
		_, err = file.NewParquetReader(bytes.NewReader(b))
	case ".arrow":
		_, err = ipc.NewFileReader(bytes.NewReader(b))
	case ".arrows":
		_, err = ipc.NewReader(bytes.NewReader(b))
	case ".npy":
		if !bytes.HasPrefix(b, []byte("\x93NUMPY")) {
			return fmt.Errorf("no array: %q", b)
		}
	case ".bin", ".u32":
		if want := binary.LittleEndian.AppendUint32([]byte{1, 0, 0, 0}, 2); len(b) == len(want) && !bytes.Equal(b, want) {
			return fmt.Errorf("not the numbers: %q", b)
		}
	}
	return err
}

// TestOutputNames sorts every format of input to every name of an output: what is written fits
// the name, or one error names it, before anything is written.
func TestOutputNames(t *testing.T) {
	dir := t.TempDir()
	in := func(ending string) string { return filepath.Join(dir, "in"+ending) }
	for ending, text := range map[string]string{
		".txt": "2\n1\n", ".csv": "a,b\n2,x\n1,y\n", ".tsv": "a\tb\n2\tx\n1\ty\n", ".jsonl": "{\"a\":2,\"b\":\"x\"}\n{\"a\":1,\"b\":\"y\"}\n",
		".u32": "\x02\x00\x00\x00\x01\x00\x00\x00", ".bin": "\x02\x00\x00\x00\x01\x00\x00\x00",
	} {
		if err := os.WriteFile(in(ending), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, made := range []string{".csv .parquet", ".csv .arrow", ".csv .arrows", ".csv .csv.gz", ".u32 .npy"} {
		from, to, _ := strings.Cut(made, " ")
		args := []string{in(from), "-o", in(to)}
		if from == ".csv" {
			args = append(args, "--by", "a")
		}
		if _, stderr, code := sortTables(t, args...); code != 0 {
			t.Fatalf("%v: %s", args, stderr)
		}
	}
	take := soak.Share(t, 3, 1)
	const text, tables, numbers = ".txt .csv .tsv .jsonl", ".parquet .arrow .arrows", ".npy .bin .u32"
	for i, c := range []struct {
		args string // of them %s is the input
		in   string
		to   string // names that it may have; any may have none
	}{
		{"--by a %s", ".csv", ".txt .csv " + tables}, {"--by a %s", ".csv.gz", ".txt .csv " + tables},
		{"--by a %s", ".tsv", ".txt .tsv " + tables}, {"--by a %s", ".jsonl", ".txt .jsonl"},
		{"--by a -m %s", ".csv", ".txt .csv " + tables}, {"--by a --count %s", ".csv", ".txt .csv"},
		{"--by a %s", ".parquet", ".csv .tsv .jsonl " + tables}, {"--by a %s", ".arrow", ".csv .tsv .jsonl " + tables},
		{"--by a %s", ".arrows", ".csv .tsv .jsonl " + tables},
		// A text of which nothing says the format may be any of texts: this one is.
		{"%s", ".txt", text}, {"%s", ".csv", ".txt .csv"}, {"%s", ".tsv", ".txt .tsv"}, {"%s", ".jsonl", ".txt .jsonl"}, {"-m %s", ".jsonl", ".txt .jsonl"},
		{"--record 4 %s", ".bin", ".bin .u32"}, {"--record 2 %s", ".txt", text + " .bin"},
		{"%s --device cpu", ".u32", ".txt .csv .tsv " + numbers}, {"%s --device cpu", ".npy", ".txt .csv .tsv " + numbers},
		{"--type u32 --device cpu %s", ".bin", ".txt .csv .tsv " + numbers}, {"--type u32 --device cpu %s", ".txt", ".txt .csv .tsv " + numbers},
	} {
		may, fields := strings.Fields(c.to), 1
		if c.in != ".txt" && !strings.Contains(numbers, c.in) {
			fields = 2
		}
		if strings.Contains(c.args, "--count") {
			fields++
		}
		for j, ending := range outputNames {
			pack := []string{"", ".gz", ".zst", ".lz4"}
			if testing.Short() { // one of those, in turn
				pack = []string{"", pack[1+(i+j)%3]}
			}
			for _, p := range pack {
				if !take() {
					continue
				}
				ok := ending == "" || slices.Contains(may, ending)
				if columns := strings.Contains(tables, ending) && ending != "" || ending == "" && strings.Contains(tables, c.in); columns && p != "" {
					ok = false // they are compressed inside
				}
				out := filepath.Join(dir, "out"+ending+p)
				args := append(strings.Fields(fmt.Sprintf(c.args, in(c.in))), "-o", out)
				_, stderr, code := sortTables(t, args...)
				err := fits(out, fields)
				switch {
				case ok && (code != 0 || err != nil):
					t.Errorf("%v: exit code %d, %v, %s", args, code, err, stderr)
				case !ok && (code != 2 || strings.Count(stderr, "named like") != 1 || !strings.Contains(stderr, out)):
					t.Errorf("%v: exit code %d, %s", args, code, stderr)
				case !ok && !errors.Is(err, fs.ErrNotExist):
					t.Errorf("%v: there is an output", args)
				}
				os.Remove(out)
				if p != "" {
					continue
				}
				_, explained, explainCode := sortTables(t, append(args, "--explain")...)
				if _, err := os.Stat(out); err == nil || explainCode != code || !ok && explained != stderr {
					t.Errorf("%v: --explain ends with %d, %s, the sort with %d, %s", args, explainCode, explained, code, stderr)
				}
			}
		}
	}
}
