package table

import (
	"path/filepath"
	"testing"

	"github.com/gpusort/gpusort/internal/run"
)

// TestEmptyPages reads a file that pyarrow 26 wrote with a page of no values before each
// other one: three row groups of a row.
func TestEmptyPages(t *testing.T) {
	for _, top := range []int64{0, 1} {
		out := filepath.Join(t.TempDir(), "out.jsonl")
		if err := sortTo(t, out, "k", Options{Options: run.Options{Top: top}}, filepath.Join("testdata", "emptypages.parquet")); err != nil {
			t.Error(err)
		}
	}
}
