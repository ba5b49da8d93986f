//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAdapter: Python gets the arguments behind run, but for the engine.
func TestAdapter(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\necho \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for want, words := range map[string][]string{
		"-m gpusort_cluster ray --by x in/*.csv -o run\n": {"run", "--engine", "ray", "--by", "x", "in/*.csv", "-o", "run"},
		"-m gpusort_cluster spark run/*.csv -o out/\n":    {"run", "run/*.csv", "--engine=spark", "-o", "out/"},
	} {
		c := program(t, dir, words...)
		c.Env = append(c.Env, "PATH="+dir)
		if b, err := c.Output(); err != nil || string(b) != want {
			t.Errorf("%v: %v: %s", words, err, b)
		}
	}
}
