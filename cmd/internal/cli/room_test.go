package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestTooLarge: what no memory holds is an error that says so, and no temporary
// file is left.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GPUSORT_CACHE", t.TempDir())
	sparse, out := filepath.Join(dir, "sparse.u64"), filepath.Join(dir, "out.u64")
	f, err := os.Create(sparse)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 43); err != nil {
		absent.Skip(t, "large sparse files", "%v", err)
	}
	if b, err := os.ReadFile("/proc/sys/vm/overcommit_memory"); err != nil || b[0] == '1' {
		absent.Skip(t, "a system that refuses memory", "%v %s", err, b)
	}
	for _, args := range [][]string{
		{"sort", sparse, "-o", out}, {"demo", "--n", "1T"}, {"tune", "--max-bytes", "8TiB"}, {"tune", "--check", "--max-bytes", "8TiB"},
		{"run", "cpu", "--size", "4T"},
	} {
		var stderr bytes.Buffer
		a := &app{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &stderr}
		want := "TiB of memory are needed, more than the system gives"
		if args[0] == "sort" {
			args, want = append(args, "--max-temp", "1M"), "8.00 TiB of temporary files are needed, and"
		}
		if code := a.run(t.Context(), args); code != exitError || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, %q", args, code, stderr.String())
		}
	}
	if ents, _ := os.ReadDir(dir); len(ents) != 1 {
		t.Errorf("left over: %v", ents)
	}
}
