package class

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/gpusort/gpusort/cmd/lab/grade"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// written are submissions of these names, of one source.
func written(t *testing.T, names []string) (paths []string) {
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			absent.Skip(t, "odd names", "this file system refuses %q: %v", name, err)
		}
		paths = append(paths, path)
	}
	return paths
}

// TestHostileNames: whatever a student calls a file, it has files of its own in the
// class, and no output holds what a terminal or a spreadsheet would obey.
func TestHostileNames(t *testing.T) {
	names := []string{strings.Repeat("a", 250) + ".cl", strings.Repeat("b", 200) + "1.cl", strings.Repeat("b", 200) + "2.cl", " =cmd.cl", "\n=cmd.cl", "＝cmd.cl",
		"\x1b[2Jx.cl", "\u202ex.cl", "\xff.cl", "-rf.cl"}
	paths := written(t, names)
	g := func(context.Context, string) (grade.Report, error) {
		return grade.Report{Title: "Lab", Source: source, Refused: "\x1b[2J" + strings.Repeat("x", 1<<16)}, nil
	}
	files := map[string]bool{}
	c, err := Run(t.Context(), paths, g, func(r Row) error {
		if files[r.File] || len(r.File) > 200 || strings.ContainsFunc(r.File, func(c rune) bool { return c > '~' || c <= ' ' || c == '/' }) {
			return fmt.Errorf("file %q", r.File)
		}
		files[r.File] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	table := b.String()
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != len(names)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		if first, _ := utf8.DecodeRuneInString(row[1]); strings.ContainsRune("= ＝-", first) || len(strings.Join(row, ",")) > 600 {
			t.Errorf("%.700q", row)
		}
	}
	text := table + fmt.Sprint(c.Alike)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
		t.Errorf("%q", text)
	}
}

// TestOneName: no two submissions have one name in a class, so that nobody takes another's points.
func TestOneName(t *testing.T) {
	names := []string{"ann.cl", " ann.cl", "ann\u00a0.cl", "ann .cl", "ann\t.cl", "a\x01.cl", "a\x02.cl", "a·.cl", "=x.cl", "'=x.cl",
		strings.Repeat("é", 100) + "1.cl", strings.Repeat("é", 100) + "2.cl"}
	paths := written(t, names)
	g := func(context.Context, string) (grade.Report, error) { return grade.Report{Source: source}, nil }
	c, err := Run(t.Context(), paths, g, func(Row) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen, pairs := map[string]int{}, map[Pair]int{}
	for _, row := range rows[1:] {
		seen[row[1]]++
	}
	for _, p := range c.Alike {
		pairs[p]++
	}
	if seen["ann.cl"] != 1 || len(seen) != len(names) || len(pairs) != len(names)*(len(names)-1)/2 {
		t.Errorf("%d names and %d pairs of %d files: %v", len(seen), len(pairs), len(names), seen)
	}
}
