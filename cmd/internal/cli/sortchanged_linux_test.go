package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestChangedInput writes to a file while it is merged with a pipe: the old output stays.
func TestChangedInput(t *testing.T) {
	for _, args := range []string{"", "--record 8", "--by 1 --header 0"} {
		dir := t.TempDir()
		in, pipe, out := filepath.Join(dir, "in"), filepath.Join(dir, "pipe"), filepath.Join(dir, "out")
		os.WriteFile(out, []byte("old"), 0o666)
		os.WriteFile(in, bytes.Repeat([]byte("a,abcde\n"), 1<<20), 0o666)
		past := time.Now().Add(-time.Hour)
		os.Chtimes(in, past, past)
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			absent.Skip(t, "named pipes", "%v", err)
		}
		c := process(t, dir, append([]string{"sort", "-m", "-o", "out", "in", "pipe"}, strings.Fields(args)...)...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the input is open", func() bool {
			fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", c.Process.Pid))
			for _, fd := range fds {
				if to, _ := os.Readlink(fd); to == in {
					return true
				}
			}
			return false
		})
		os.Chtimes(in, time.Time{}, time.Now())
		f.WriteString("a,abcde\n")
		f.Close()
		if got := exitStatus(c.Wait()); got != 2 || !strings.Contains(stderr.String(), "in: written while it was read") {
			t.Errorf("%s: exit code %d, %s", args, got, stderr.String())
		}
		if b, _ := os.ReadFile(out); string(b) != "old" {
			t.Errorf("%s: the output has %d bytes", args, len(b))
		}
	}
}
