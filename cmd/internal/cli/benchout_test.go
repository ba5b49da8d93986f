package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gpusort/gpusort/cmd/lab/run"
)

// TestProgressFitsTheTerminal: a line as wide as the terminal would wrap, and
// not be written over.
func TestProgressFitsTheTerminal(t *testing.T) {
	for _, width := range []int{40, 80, 200} {
		var b bytes.Buffer
		p := &benchProgress{app: &app{bars: &b, errTerm: true, errWidth: func() int { return width }}}
		p.show(run.Progress{Done: 3, Cells: 12, Case: strings.Repeat("a-long-name/", 9)})
		line := strings.TrimPrefix(b.String(), "\r\x1b[K")
		if n := utf8.RuneCountInString(line); n >= width || n < min(width-1, 80) {
			t.Errorf("%d columns: %d characters: %q", width, n, line)
		}
	}
}
