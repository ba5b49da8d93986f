package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gpusort/gpusort/cmd/internal/cli"
)

// TestWrite fails when a visible command has no page, a shell no completions, or two
// runs give different bytes.
func TestWrite(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		if err := write(dir, "v1.2.3", time.Unix(1e9, 0).UTC()); err != nil {
			t.Fatal(err)
		}
	}
	files := []string{"man1/gpusort.1", "bash/gpusort", "zsh/_gpusort", "fish/gpusort.fish"}
	for _, c := range cli.Tree().Commands() {
		if c.IsAvailableCommand() {
			files = append(files, "man1/gpusort-"+c.Name()+".1")
		}
	}
	for _, name := range files {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Error(err)
			continue
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil || len(x) < 200 || !bytes.Equal(x, y) {
			t.Errorf("%s: %d and %d bytes that must be the same and no stub (%v)", name, len(x), len(y), err)
		}
	}
	page, _ := os.ReadFile(filepath.Join(a, "man1/gpusort.1"))
	if !bytes.Contains(page, []byte("gpusort v1.2.3")) {
		t.Error("man1/gpusort.1 does not name the version")
	}
}
