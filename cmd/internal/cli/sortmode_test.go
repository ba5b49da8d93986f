package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/gpusort/gpusort/internal/run"
)

// TestFlagsOfOtherModes gives every flag of sort beside each of what can be sorted: none
// that has no use there is passed over in silence, and the message names both.
func TestFlagsOfOtherModes(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	lines, numbers := file("lines", "b\na\n"), file("x.u8", "ba")
	values := map[string]string{
		"key": "1", "record": "2", "field-separator": ",", "sort": "numeric", "random-source": lines, "header": "1", "split": "1", "by": "1", "nulls": "last",
		"compression": "zstd", "row-group": "9", "types": "a:text", "nan": "last", "top": "1", "files0-from": file("names", "lines\x00"), "type": "u8", "out-format": "raw", "algo": "auto", "index": "u32",
		"values": lines, "value-type": "u8", "values-out": file("v", ""), "axis": "0", "unique-by": "1",
	}
	modes := []struct {
		mode sortMode
		args []string
	}{
		{modeLines, []string{"--format=lines", lines}}, {modeLines, []string{lines}}, {modeRecords, []string{"--record=2", "--key=0:1", lines}},
		{modeTable, []string{"--by=1", "--format=csv", lines}}, {modeTable, []string{"--by=1", lines}}, {modeColumns, []string{"--by=1", file("t.parquet", "PAR1....")}},
		{modeNumbers, []string{"--type=u8", "--format=raw", lines}}, {modeNumbers, []string{"--format=raw", "--type=u8", lines}}, {modeNumbers, []string{"--device=cpu", numbers}},
	}
	tried := 0
	(&sortCmd{app: &app{}}).command().Flags().VisitAll(func(f *pflag.Flag) {
		m, ok := modesOf[f.Name]
		if !ok {
			return
		}
		arg := "--" + f.Name
		if f.NoOptDefVal == "" {
			value, ok := values[f.Name]
			if !ok {
				t.Errorf("--%s: the test has no value for it", f.Name)
			}
			arg += "=" + value
		}
		for _, c := range modes {
			if m&c.mode != 0 || slices.ContainsFunc(c.args, func(a string) bool { return strings.HasPrefix(a, "--"+f.Name+"=") }) ||
				c.mode == modeLines && len(c.args) == 1 && (m&modeNumbers != 0 || m&modeRows == modeRows) || c.mode == modeLines && f.Name == "record" {
				continue // of lines that nothing asks for, such flags say that they are something else
			}
			if c.args[0] == "--device=cpu" && m&modeBytes != 0 {
				continue // such flags say that the file holds lines
			}
			tried++
			_, stderr, code := sortLines(nil, append(slices.Clone(c.args), arg, "-o", filepath.Join(dir, "out"))...)
			if code != exitError || !strings.Contains(stderr, "--"+f.Name+" is of ") && !strings.Contains(stderr, "--"+f.Name+" sorts ") {
				t.Errorf("sort %v %s: exit code %d, %s", c.args, arg, code, stderr)
			}
		}
	})
	if tried < 100 {
		t.Errorf("only %d pairs", tried)
	}
	// The one that nobody saw.
	if _, stderr, code := sortLines(nil, "--format", "lines", "--type", "u32", "--argsort", lines); code != exitError || !strings.Contains(stderr, "--type is of numbers, and --format lines sorts lines") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	// Of two formats the last one holds, as of an alias and what is typed behind it.
	if out, stderr, code := sortLines([]byte("b\na\n"), "--format", "lines", "--by=1", "--header=0", "--format", "csv"); code != 0 || string(out) != "a\nb\n" {
		t.Errorf("exit code %d, %s, %q", code, stderr, out)
	}
}

// TestLittle: what is little is sorted in the least memory, without temporary files.
func TestLittle(t *testing.T) {
	name := filepath.Join(t.TempDir(), "in")
	text := strings.Repeat("b\na\n", littleBytes/4)
	for _, in := range []string{text[:littleBytes-2], text} {
		os.WriteFile(name, []byte(in), 0o666)
		for _, args := range [][]string{nil, {"-n"}, {"-f", "-k1,1", "-k1r"}, {"--by", "1", "--header", "0", "--format", "csv"}, {"--record", "2"}, {"-u"}} {
			out, stderr, code := sortLines(nil, append(args, "--json", name)...)
			want := strings.Repeat("a\n", len(in)/4) + strings.Repeat("b\n", (len(in)+2)/4)
			if slices.Contains(args, "-u") {
				want = "a\nb\n"
			}
			if code != 0 || string(out) != want || !strings.Contains(stderr, `"runs": 1,`) || !strings.Contains(stderr, `"spilled_bytes": 0,`) {
				t.Errorf("%d bytes, %v: exit code %d, %d bytes, %s", len(in), args, code, len(out), stderr)
			}
			if least := strings.Contains(stderr, fmt.Sprintf(`"budget_bytes": %d,`, run.LeastBudget)); least != (len(in) < littleBytes-1) {
				t.Errorf("%d bytes, %v: in the least memory: %v", len(in), args, least)
			}
		}
	}
}
