//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestBenchKilled kills a benchmark without a chance to clean up, and cuts its
// last line short: --resume keeps the finished cells as they are, measures the
// rest, and each cell stands there once.
func TestBenchKilled(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "r.jsonl")
	const cells = 6
	args := func(samples int) []string {
		return []string{"bench", "-a", "Algo=cpu-radix", "-d", "cpu", "-a", fmt.Sprintf("Elements=[20001:%d]", 20000+cells),
			fmt.Sprintf("--min-samples=%d", samples), fmt.Sprintf("--max-samples=%d", samples), "--json", "r.jsonl"}
	}
	c := process(t, dir, args(1500)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := func() int {
		b, _ := os.ReadFile(file)
		return bytes.Count(b, []byte("\n"))
	}
	waitFor(t, "two finished cells", func() bool { return lines() >= 2 })
	c.Process.Kill()
	c.Wait()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	done := bytes.Count(text, []byte("\n"))
	if done >= cells {
		absent.Skip(t, "a cell to interrupt", "all %d were measured before the signal came", cells)
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if err := os.WriteFile(file, append(bytes.Clone(whole), `{"schema":1,"case":"cpu-ra`...), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := process(t, dir, append(args(6), "--resume")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	recs, err := result.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, r := range recs {
		samples := 6
		if i < done {
			samples = 1500
		}
		if seen[r.Key()] || r.Status != result.OK || len(r.WallNS) != samples {
			t.Errorf("record %d: %s %s, %d samples, want %d", i, r.Key(), r.Status, len(r.WallNS), samples)
		}
		seen[r.Key()] = true
	}
	if len(seen) != cells {
		t.Errorf("%d of %d cells", len(seen), cells)
	}
}
