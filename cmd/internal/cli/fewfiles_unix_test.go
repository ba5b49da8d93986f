//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestFewDescriptors: whatever limit of open files there is, the command sorts or says one thing.
func TestFewDescriptors(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sorted := false
	for limit := 3; limit < 40; limit++ {
		// The shell's own limit leaves it the files that it has.
		c := exec.Command("sh", "-c", `ulimit -n "$1" && exec "$0" sort`, exe, fmt.Sprint(limit))
		c.Env, c.Stdin = append(os.Environ(), asCommand+"=1"), strings.NewReader("b\na\n")
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.Output()
		if err == nil {
			sorted = true
		}
		if text := stderr.String(); err == nil && string(out) != "a\nb\n" || err != nil && (len(out) > 0 || strings.Count(text, "\n") != 1 || strings.Contains(text, "runtime")) {
			t.Errorf("%d files: %v, %q, %s", limit, err, out, text)
		}
	}
	if !sorted {
		t.Error("nothing was sorted")
	}
}

// TestMergeManyFiles: more files than may be open are merged, few or many at once.
func TestMergeManyFiles(t *testing.T) {
	dir := t.TempDir()
	args := []string{"sort", "-m", "-n"}
	var want strings.Builder
	for i := range 200 {
		name := fmt.Sprintf("in%03d", i)
		os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, "%d\n%d\n", i, i+200), 0o666)
		args = append(args, name)
	}
	for i := range 400 {
		fmt.Fprintln(&want, i)
	}
	for limit, batch := range map[string]string{"-n 30": "400", "-n 60": "400", "-n 64": "2", "-n 100": "3"} {
		out, err := limited(t, dir, limit, append(args, "--batch-size", batch)...).Output()
		if err != nil || string(out) != want.String() {
			t.Errorf("ulimit %s, --batch-size %s: %v, %d bytes of %d", limit, batch, err, len(out), want.Len())
		}
	}
}

// TestFewForTemporaries: where too few files may be open for temporary ones, the message says how
// many to allow, and that is enough.
func TestFewForTemporaries(t *testing.T) {
	for _, program := range []string{"", "gzip"} {
		args := []string{"sort", "-m", "--batch-size", "2"}
		if program != "" {
			if _, err := exec.LookPath(program); err != nil {
				absent.Skip(t, program, "%v", err)
			}
			args = append(args, "--compress-program", program)
		}
		dir := t.TempDir()
		for i := range 30 {
			name := fmt.Sprintf("in%02d", i)
			os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666)
			args = append(args, name)
		}
		for limit := 9; limit <= 48; limit++ {
			c := limited(t, dir, fmt.Sprintf("-n %d", limit), args...)
			var stderr bytes.Buffer
			c.Stderr = &stderr
			out, err := c.Output()
			if err == nil && strings.Count(string(out), "\n") != 30 || err != nil && limit == 48 {
				t.Errorf("%q, %d files: %v, %q, %s", program, limit, err, out, &stderr)
			}
			if err != nil && (!strings.Contains(stderr.String(), "many open files: allow at least 48") || strings.Count(stderr.String(), "\n") != 1) {
				t.Errorf("%q, %d files: %s", program, limit, &stderr)
			}
		}
	}
}

// TestSplitFewFiles: more parts than files may be open, of which the first ones get their names
// before the last ones are complete.
func TestSplitFewFiles(t *testing.T) {
	for _, limit := range []string{"-n 20", "-n 64", "-n 200"} {
		dir := t.TempDir()
		c := limited(t, dir, limit, "sort", "-n", "--split", "2", "-o", "part-%03d")
		var text, got strings.Builder
		for i := range 500 {
			fmt.Fprintln(&text, i)
		}
		c.Stdin = strings.NewReader(text.String())
		if b, err := c.CombinedOutput(); err != nil {
			t.Errorf("ulimit %s: %v: %s", limit, err, b)
		}
		for i := range 250 {
			b, _ := os.ReadFile(filepath.Join(dir, fmt.Sprintf("part-%03d", i)))
			got.Write(b)
		}
		if got.String() != text.String() {
			t.Errorf("ulimit %s: %d bytes, want %d", limit, got.Len(), text.Len())
		}
	}
}
