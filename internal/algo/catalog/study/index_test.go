package study_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/catalog/study"
)

var update = flag.Bool("update", false, "rewrite the table of docs/algorithms/README.md")

// The table stands between these lines.
const (
	tableBegin = "<!-- table: go test ./internal/algo/catalog/study -update -->\n"
	tableEnd   = "<!-- end of table -->\n"
)

// row is one sort, operation or prefix sum of the index: a name may run on devices and on
// the processor.
type row struct {
	name, doc, source string
	on                []string
}

func rows() (out []row) {
	add := func(name, doc, source string, on ...string) {
		if i := slices.IndexFunc(out, func(r row) bool { return r.name == name }); i >= 0 {
			out[i].on = append(out[i].on, on...)
			return
		}
		out = append(out, row{name, doc, source, on})
	}
	for _, a := range catalog.Algorithms() {
		add(a.Name, a.Doc, a.Source, slices.Clone(a.Backends)...)
	}
	for _, h := range catalog.Hosts() {
		add(h.Name, h.Doc, h.Source, "cpu")
	}
	for _, a := range catalog.Operations() {
		add(a.Name, a.Doc, a.Source, slices.Clone(a.Backends)...)
	}
	for _, s := range study.Scans() {
		add(s.Name, s.Doc, s.Source, slices.Clone(s.Backends)...)
	}
	for _, s := range study.HostScans() {
		add(s.Name, s.Doc, s.Source, "cpu")
	}
	return out
}

// A name stands in a heading of its page, or begins a line of a table there.
var (
	heading = regexp.MustCompile("(?m)^#+ .*$")
	entry   = regexp.MustCompile("(?m)^\\| `[^`]*`")
)

// pages maps names to their pages in docs/algorithms.
func pages(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(f) == "README.md" {
			continue
		}
		for _, h := range append(entry.FindAllString(string(text), -1), heading.FindAllString(string(text), -1)...) {
			for i, word := range strings.Split(h, "`") {
				if i%2 == 1 {
					found[word] = filepath.Base(f)
				}
			}
		}
	}
	return found
}

// TestIndex: docs/algorithms/README.md has one line for every row of the
// catalogue, as the catalogue says it; -update writes them.
func TestIndex(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "docs", "algorithms")
	file := filepath.Join(dir, "README.md")
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := bytes.Cut(have, []byte(tableBegin))
	_, tail, ok2 := bytes.Cut(rest, []byte(tableEnd))
	if !ok || !ok2 {
		t.Fatalf("%s has no %q and %q", file, tableBegin, tableEnd)
	}
	page := pages(t, dir)
	var b strings.Builder
	b.WriteString("| name | what | runs on | after | page |\n|---|---|---|---|---|\n")
	for _, r := range rows() {
		link := "–"
		if p, ok := page[r.name]; ok {
			link = fmt.Sprintf("[%s](%s)", strings.TrimSuffix(p, ".md"), p)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.name, r.doc, strings.Join(r.on, ", "), r.source, link)
	}
	want := string(head) + tableBegin + b.String() + tableEnd + string(tail)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		have = []byte(want)
	}
	if string(have) != want {
		t.Errorf("%s is not the catalogue's (go test ./internal/algo/catalog/study -update); want:\n%s", file, b.String())
	}
}
