package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDropOwn keeps the sums of others, also of a module whose path only begins alike.
func TestDropOwn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "go.sum")
	own := "github.com/gpusort/gpusort v0.1.0 h1:a=\ngithub.com/gpusort/gpusort v0.1.0/go.mod h1:b=\ngithub.com/gpusort/gpusort/cmd v0.1.0 h1:c=\n"
	others := "github.com/gpusort/gpusortlike v1.0.0 h1:d=\ngolang.org/x/sys v0.1.0 h1:e=\n"
	if err := os.WriteFile(name, []byte(own+others), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := dropOwn(name); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(name); string(got) != others {
		t.Errorf("kept %q, want %q", got, others)
	}
	if err := dropOwn(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("a module without go.sum: %v", err)
	}
}
