package policy

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const file = "../../../internal/tune/policies.json"

// TestLayout: the table is written as it stands in the repository, so that a
// changed row is a change of one line.
func TestLayout(t *testing.T) {
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	table, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	got := table.JSON()
	if !bytes.Equal(got, want) {
		g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
		for i := range min(len(g), len(w)) {
			if !bytes.Equal(g[i], w[i]) {
				t.Fatalf("line %d is\n%s\nwant\n%s", i+1, g[i], w[i])
			}
		}
		t.Fatalf("%d lines, want %d", len(g), len(w))
	}
}

func TestWith(t *testing.T) {
	table, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	before := table.JSON()
	onesweep, err := table.Find("onesweep", "cuda")
	if err != nil {
		t.Fatal(err)
	}
	var values []uint32 // one a parameter, each its own
	for i := range onesweep.Params {
		values = append(values, uint32(i+1))
	}
	changed, err := table.With("onesweep", "cuda", "sm_90", 32, 0, values, `a "source" of <this>`)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(table.JSON(), before) {
		t.Error("the table itself was changed")
	}
	path := filepath.Join(t.TempDir(), "policies.json")
	if err := os.WriteFile(path, changed.JSON(), 0o644); err != nil {
		t.Fatal(err)
	}
	back, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := back.Find("onesweep", "cuda")
	if err != nil {
		t.Fatal(err)
	}
	at, err := a.Row("sm_90", 32, 0)
	if err != nil || !slices.Equal(a.Rows[at].Values, values) || a.Rows[at].Source != `a "source" of <this>` {
		t.Errorf("read back %+v, %v", a.Rows[at], err)
	}
	g, w := bytes.Split(changed.JSON(), []byte("\n")), bytes.Split(before, []byte("\n"))
	different := 0
	for i := range w {
		if !bytes.Equal(g[i], w[i]) {
			different++
		}
	}
	if different != 1 {
		t.Errorf("%d lines differ, want 1", different)
	}
	if _, err := table.With("onesweep", "cuda", "sm_90", 32, 0, values[1:], "x"); err == nil {
		t.Error("a row that lacks a value was taken")
	}
	if _, err := table.With("onesweep", "opencl", "sm_90", 32, 0, values, "x"); err == nil {
		t.Error("a row of no algorithm was taken")
	}
}
