package table

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/key/by"
)

// TestChangedFiles: a file that is written or replaced between its opening and the end of a sort is an error
// that names it, and so it is for a check.
func TestChangedFiles(t *testing.T) {
	for what, change := range map[string]func(name, other string) error{
		"written while": func(name, _ string) error { return os.Chtimes(name, time.Time{}, time.Now().Add(time.Hour)) },
		"changed from":  func(name, _ string) error { return os.Truncate(name, 100) },
		"replaced":      func(name, other string) error { return os.Rename(other, name) },
		"no such file":  func(name, _ string) error { return os.Remove(name) },
	} {
		dir := t.TempDir()
		first, name, other := filepath.Join(dir, "first"), filepath.Join(dir, "second"), filepath.Join(dir, "other")
		for _, f := range []string{first, name, other} {
			writeParquet(t, f, 1000, 100, 10)
		}
		tab, err := Open([]string{first, name})
		if err != nil {
			t.Fatal(err)
		}
		if err := change(name, other); err != nil {
			t.Fatal(err)
		}
		o := Options{By: []by.Key{{Name: "key"}}}
		_, err = tab.Sort(t.Context(), o, io.Discard)
		if err == nil || !strings.Contains(err.Error(), name+": ") && !os.IsNotExist(err) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s, sort: %v", what, err)
		}
		if _, err := tab.Check(t.Context(), o); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s, check: %v", what, err)
		}
	}
}
