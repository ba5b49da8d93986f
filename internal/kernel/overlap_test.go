package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOverlaps: in the modules whose launches overlap every kernel waits, first of
// all. One that does not would end early, and let the launch behind it read what the
// launch before it has not written.
func TestOverlaps(t *testing.T) {
	files, err := filepath.Glob("../../kernels/cuda/stage/*.cu")
	if err != nil || len(files) == 0 {
		t.Fatalf("no kernels found: %v", err)
	}
	name := regexp.MustCompile(`\bgs_[a-z0-9_#]+`)
	overlapping := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		module := strings.TrimSuffix(filepath.Base(f), ".cu")
		if !Overlaps(module) {
			continue
		}
		overlapping++
		for _, kernel := range strings.Split(string(text), "GS_GLOBAL")[1:] {
			_, body, ok := strings.Cut(kernel, ") {")
			if !ok {
				t.Fatalf("%s: no body behind %s", f, name.FindString(kernel))
			}
			if !strings.HasPrefix(strings.TrimLeft(body, " \\\n"), "awaitPrevious();") {
				t.Errorf("%s: %s does not begin with awaitPrevious", f, name.FindString(kernel))
			}
		}
	}
	if overlapping != 6 {
		t.Errorf("%d modules of 6 whose launches overlap were found", overlapping)
	}
}
