package rows_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/rows"
)

// TestFile: a file, from where it is read, and any other reader of the same bytes are sorted alike.
// The file is then at its end.
func TestFile(t *testing.T) {
	var text strings.Builder
	text.WriteString("place,name\n")
	for i := range 150_000 {
		fmt.Fprintf(&text, "%d,name-%d\n", i*7919%100_000, i%1000)
	}
	lines := text.String()
	for what, c := range map[string]struct {
		options []rows.Option
		source  func(io.Reader) rows.Source
		from    int
	}{
		"lines":   {nil, func(r io.Reader) rows.Source { return rows.Lines(r) }, 5},
		"keys":    {[]rows.Option{rows.Separator(','), rows.By("2,2r", "1,1n")}, func(r io.Reader) rows.Source { return rows.Lines(r) }, 0},
		"CSV":     {[]rows.Option{rows.ByColumns("name,place:desc")}, func(r io.Reader) rows.Source { return rows.CSV(r) }, 0},
		"records": {[]rows.Option{rows.RecordSize(8), rows.ByBytes("2:3")}, func(r io.Reader) rows.Source { return rows.Records(r) }, 3 + len(lines)%8},
	} {
		s, err := rows.New(append(c.options, rows.TempDirs(t.TempDir()))...)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		name := filepath.Join(t.TempDir(), "in")
		part := lines[c.from:]
		if what == "records" {
			part = part[:len(part)/8*8]
		}
		os.WriteFile(name, []byte(lines[:c.from]+part), 0o666)
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		f.Seek(int64(c.from), io.SeekStart)
		var want, got bytes.Buffer
		_, err1 := s.Sort(t.Context(), c.source(strings.NewReader(part)), rows.LinesTo(&want))
		_, err2 := s.Sort(t.Context(), c.source(f), rows.LinesTo(&got))
		if err1 != nil || err2 != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%s: %v, %v; %d bytes, want %d", what, err1, err2, got.Len(), want.Len())
		}
		if at, _ := f.Seek(0, io.SeekCurrent); at != int64(c.from+len(part)) {
			t.Errorf("%s: the file is left at byte %d of %d", what, at, c.from+len(part))
		}
	}
}
