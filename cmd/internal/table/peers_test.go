package table

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key/by"
)

// python runs a script of testdata by a Python that has the modules, or skips.
func python(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	if exec.Command("python3", "-c", "import pyarrow, numpy, duckdb").Run() != nil {
		absent.Skip(t, "pyarrow", "the peers of tables need python3 with pyarrow, numpy and duckdb (pip install pyarrow numpy duckdb)")
	}
	c := exec.Command("python3", append([]string{filepath.Join("testdata", script)}, args...)...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", script, args, err, stderr.Bytes())
	}
	return out
}

// mustParse is keys, whose options begin as those of base.
func mustParse(t *testing.T, keys string, base by.Key) []by.Key {
	t.Helper()
	all, err := by.Parse(keys, base)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sortTo sorts files by keys to a file.
func sortTo(t *testing.T, out, keys string, o Options, names ...string) error {
	t.Helper()
	o.By = mustParse(t, keys, by.Key{})
	if o.Budget == 0 {
		o.Budget = 256 << 20
	}
	tab, err := Open(names)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	st, err := tab.Sort(context.Background(), o, &b)
	if err != nil {
		return err
	}
	if want := min(st.Rows, cmp.Or(o.Top, st.Rows)); !o.Unique && st.RowsOut != want {
		t.Errorf("%d rows of %d", st.RowsOut, st.Rows)
	}
	return os.WriteFile(out, b.Bytes(), 0o666)
}

// TestPeers sorts files that pyarrow and DuckDB wrote, by columns of all types, and has pyarrow
// compare the rows with its own order of them, and the schema.
func TestPeers(t *testing.T) {
	dir := t.TempDir()
	var jobs []struct{ In, Keys string }
	rows := "1500"
	if testing.Short() {
		rows = "300"
	}
	if err := json.Unmarshal(python(t, "write.py", dir, rows), &jobs); err != nil {
		t.Fatal(err)
	}
	if len(jobs) < 40 {
		t.Errorf("%d jobs only", len(jobs))
	}
	type done struct{ In, Out, Keys string }
	var all []done
	for i, j := range jobs {
		out := filepath.Join(dir, "out"+string(rune('a'+i/26))+string(rune('a'+i%26))+filepath.Ext(j.In))
		if err := sortTo(t, out, j.Keys, Options{GroupRows: 200}, j.In); err != nil {
			t.Errorf("%s by %s: %v", filepath.Base(j.In), j.Keys, err)
			continue
		}
		all = append(all, done{j.In, out, j.Keys})
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "jobs.json")
	if err := os.WriteFile(list, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if out := python(t, "compare.py", list); len(out) > 0 {
		t.Errorf("%s", out)
	}
}
