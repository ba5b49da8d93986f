package table

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/internal/run"
)

// TestText writes Parquet and Arrow files of all types as text, which DuckDB reads as the
// same values, and as Arrow, which pyarrow does.
func TestText(t *testing.T) {
	dir := t.TempDir()
	rows := "3000"
	if testing.Short() {
		rows = "400"
	}
	python(t, "text.py", "write", dir, rows)
	for _, in := range []string{"in.parquet", "old.parquet", "duck.parquet", "in.arrow"} {
		name := strings.TrimSuffix(in, filepath.Ext(in))
		if in == "in.arrow" {
			name = "arrow"
		}
		for _, ending := range []string{".csv", ".tsv", ".jsonl", ".feather"} {
			out := filepath.Join(dir, name+ending)
			if err := sortTo(t, out, "id:desc", Options{As: columns.ByOutput(out), Options: run.Options{Budget: 1}}, filepath.Join(dir, in)); err != nil {
				t.Errorf("%s to %s: %v", in, ending, err)
			}
		}
		if in == "in.arrow" {
			if err := sortTo(t, filepath.Join(dir, "arrow.parquet"), "id:desc", Options{As: Parquet, GroupRows: 150}, filepath.Join(dir, in)); err != nil {
				t.Error(err)
			}
			if err := sortTo(t, filepath.Join(dir, "none.parquet"), "id", Options{As: Parquet}, filepath.Join(dir, "none.arrow")); err != nil {
				t.Error(err)
			}
		}
		text, _ := os.ReadFile(filepath.Join(dir, name+".csv"))
		f, err := os.Create(filepath.Join(dir, name+".csv.gz"))
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		z.Write(text)
		z.Close()
		f.Close()
	}
	if out := python(t, "text.py", "compare", dir); len(out) > 0 {
		t.Errorf("%s", out)
	}
}
