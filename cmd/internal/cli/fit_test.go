package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
)

// TestTablesFit draws a wide table at many widths: no line is longer, and nothing is lost.
func TestTablesFit(t *testing.T) {
	head := table.Row{"algorithm", "on", "keys", "mode", "input", "n", "samples", "device", "±", "end to end", "±", "Melem/s"}
	rows := []table.Row{
		{"bitonic-shared-step", "opencl:0", "u32", "keys", "uniform", "2^20", "11", "15.71 ms", "1.2%", "18.82 ms", "0.9%", "66.7"},
		{"radix-lsd", "opencl:0", "u32", "keys", "zipf", "2^20", "11", "5.716 ms", "1.2%", "8.823 ms", "0.9%", "183.4"},
	}
	natural := 0
	for _, width := range []int{0, 200, 120, 80, 60, 50} {
		var out bytes.Buffer
		a := &app{out: &out, outWidth: func() int { return width }}
		w := a.newTable(head, 6, 7, 8, 9, 10, 11, 12)
		for _, r := range rows {
			w.AppendRow(r)
		}
		w.Render()
		longest := 0
		for _, line := range strings.Split(out.String(), "\n") {
			longest = max(longest, utf8.RuneCountInString(line))
		}
		if width == 0 {
			natural = longest
		}
		if width > 0 && longest > width || natural < 100 {
			t.Errorf("%d columns in %d:\n%s", longest, width, out.String())
		}
		// Wrapped or lifted, every letter of every cell is there.
		for _, row := range rows {
			for _, c := range row {
				for _, word := range strings.Fields(c.(string)) {
					if width >= 80 && !strings.Contains(out.String(), word) && len(word) < leastText {
						t.Errorf("width %d lost %q:\n%s", width, word, out.String())
					}
				}
			}
		}
		if lifted := strings.Contains(out.String(), "on: opencl:0, keys: u32, mode: keys"); lifted != (width > 0 && width < natural) {
			t.Errorf("width %d:\n%s", width, out.String())
		}
	}
}

// TestTableEscapes: what a cell holds of control characters is shown, not sent.
func TestTableEscapes(t *testing.T) {
	var out bytes.Buffer
	w := (&app{out: &out}).newTable(nil)
	w.AppendRow(table.Row{"Device", "evil\x1b[2J"})
	w.Render()
	if !strings.Contains(out.String(), `evil\x1b[2J`) {
		t.Errorf("%q", out.String())
	}
}

// TestHelpFits: the flags of every command keep within 80 columns.
func TestHelpFits(t *testing.T) {
	const width = 80
	for _, wide := range []int{0, width, 200} {
		root := (&app{outWidth: func() int { return wide }}).root()
		for _, c := range root.Commands() {
			var help bytes.Buffer
			c.SetOut(&help)
			if err := c.Usage(); err != nil {
				t.Fatal(err)
			}
			_, flags, ok := strings.Cut(help.String(), "\nFlags:\n")
			if !ok {
				continue
			}
			for _, line := range strings.Split(flags, "\n") {
				if n := utf8.RuneCountInString(line); n > width && !strings.HasPrefix(line, "Exit codes") && !strings.HasPrefix(line, "self-test") {
					t.Errorf("%s: %d columns: %s", c.Name(), n, line)
				}
			}
		}
	}
}
