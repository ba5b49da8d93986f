//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTablesProgram: without the program that reads files of columns, the message says how
// to get it; with it, it gets the command line.
func TestTablesProgram(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "a.parquet"), []byte("PAR1"), 0o666)
	c := process(t, dir, "sort", "--by", "n", "a.parquet")
	c.Env = append(c.Env, "PATH="+dir)
	b, err := c.CombinedOutput()
	if exitStatus(err) != exitError || !strings.Contains(string(b), "need gpusort-tables beside gpusort or on the PATH: install it by go install") {
		t.Errorf("%v: %s", err, b)
	}
	if err := os.WriteFile(filepath.Join(dir, "gpusort-tables"), []byte("#!/bin/sh\necho \"$@\"\nexit 7\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c = process(t, dir, "sort", "--by", "n", "a.parquet")
	c.Env = append(c.Env, "PATH="+dir)
	b, err = c.CombinedOutput()
	if exitStatus(err) != 7 || string(b) != "sort --by n a.parquet\n" {
		t.Errorf("%v: %s", err, b)
	}
}
