package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClassRefuses what holds for one submission alone.
func TestClassRefuses(t *testing.T) {
	dir := t.TempDir()
	rubric := filepath.Join(dir, "r.toml")
	if err := os.WriteFile(rubric, []byte("[[size]]\nn = 10\npoints = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"--seed=3": "inputs that nobody could know", "--pass=3": "--pass is for one", "--json=x": "--json is for one"} {
		_, msg, code := runOn(t, "grade", "a.cl", "b.cl", "--rubric", rubric, "-o", filepath.Join(dir, "class"), flag)
		if code != exitError || !strings.Contains(msg, want) {
			t.Errorf("%s: code %d, %q", flag, code, msg)
		}
	}
}
