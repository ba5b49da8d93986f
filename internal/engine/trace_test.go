package engine

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden traces")

// TestTraces compares every driver call of two equal sorts and Close with
// golden files: what is loaded once, what is reused, and that nothing waits for
// the device inside a sort.
func TestTraces(t *testing.T) {
	for _, p := range []plan.Problem{
		{Type: key.U32, Mode: plan.Keys, Items: 200},
		{Type: key.F64, Mode: plan.Pairs, ValueBytes: 4, Items: 200, Order: key.Order{Desc: true}},
		{Type: key.U8, Mode: plan.Argsort, ValueBytes: 8, Items: 200},
	} {
		t.Run(p.Mode.String(), func(t *testing.T) {
			tr := trace.New(newFake())
			e, err := fakeEngine(t, tr, 0)
			if err != nil {
				t.Fatal(err)
			}
			e.exec.Workers = 1 // the order of several is chance
			for range 2 {
				j, want := testJob(p)
				if _, err := e.Sort(context.Background(), j); err != nil {
					t.Fatal(err)
				}
				if err := sameJob(j, want); err != nil {
					t.Fatal(err)
				}
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			golden(t, fmt.Sprintf("trace-%v.txt", p.Mode), tr.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -run %s ./internal/engine -rewrite); got:\n%s", path, t.Name(), got)
	}
}
