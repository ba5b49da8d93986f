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

// TestClusterProgram: sort --engine and verify --manifest are those of another program.
func TestClusterProgram(t *testing.T) {
	dir := t.TempDir()
	c := process(t, dir, "sort", "--engine", "local", "a", "-o", "b")
	c.Env = append(c.Env, "PATH="+dir)
	b, err := c.CombinedOutput()
	if exitStatus(err) != exitError || !strings.Contains(string(b), "--engine and --manifest need gpusort-cluster beside gpusort or on the PATH: install it by go install") {
		t.Errorf("%v: %s", err, b)
	}
	if err := os.WriteFile(filepath.Join(dir, "gpusort-cluster"), []byte("#!/bin/sh\necho \"$@\"\nexit 7\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"run --by x --engine=local s3://b/*.csv -o out/\n": {"sort", "--by", "x", "--engine=local", "s3://b/*.csv", "-o", "out/"},
		"verify out/manifest.json\n":                       {"verify", "--manifest", "out/manifest.json"},
		"verify -S 1G out/m.json\n":                        {"verify", "-S", "1G", "--manifest=out/m.json"},
	} {
		c := process(t, dir, args...)
		c.Env = append(c.Env, "PATH="+dir)
		if b, err := c.CombinedOutput(); exitStatus(err) != 7 || string(b) != want {
			t.Errorf("%v: %v: %s", args, err, b)
		}
	}
}
