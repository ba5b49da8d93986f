package cli

import (
	"bytes"
	"io"
	"strings"
	"syscall"
	"testing"
)

// full is an output without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestStdoutFull: what could not be printed is no success, whatever printed it.
func TestStdoutFull(t *testing.T) {
	for _, line := range []string{"version", "devices", "gen --list", "explain --type u8 --n 5", "gen --help", "completion bash",
		"gen --type u8 --n 5", "verify - --type u8"} {
		var stderr bytes.Buffer
		a := &app{in: strings.NewReader(""), out: io.Writer(full{}), err: &stderr}
		if code := a.run(t.Context(), strings.Fields(line)); code != exitError || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: exit code %d, %q", line, code, stderr.String())
		}
	}
}
