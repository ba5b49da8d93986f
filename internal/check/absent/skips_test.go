package absent_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// languages are those of tests, by the ends of their files: what is said by a file that has tests, what a skip
// looks like, the skips that name what could be required, and how many of them there are at least.
var languages = map[string]struct {
	tests string
	skip  *regexp.Regexp
	names []string
	least int
}{
	".go": {`"testing"`, regexp.MustCompile(`\b[a-z]+\.(Skip|Skipf|SkipNow)\(`), []string{"absent.Skip("}, 50},
	".py": {"pytest", regexp.MustCompile(`\w+\.(skip|skipif|skipTest|importorskip|xfail|needs)\b\(?|from pytest import`),
		[]string{"absent.skip(", "absent.needs("}, 7},
}

// TestSkipsName: all tests of the repository skip by Skip of this package, or by its twin in Python.
func TestSkipsName(t *testing.T) {
	root, found := filepath.Join("..", "..", ".."), map[string]int{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() {
			if p != root && (strings.HasPrefix(name, ".") || name == "build") {
				return filepath.SkipDir
			}
			return nil
		}
		language, ok := languages[filepath.Ext(p)]
		if !ok || filepath.Base(filepath.Dir(p)) == "absent" || filepath.Base(p) == "absent.py" {
			return nil
		}
		text, err := os.ReadFile(p)
		if !bytes.Contains(text, []byte(language.tests)) {
			return err // what is skipped there is no test
		}
		for n, line := range strings.Split(string(text), "\n") {
			for _, call := range language.skip.FindAllString(line, -1) {
				if found[filepath.Ext(p)]++; !slices.Contains(language.names, call) {
					t.Errorf("%s:%d: %s: call %s…), which names what is absent", p, n+1, strings.TrimSpace(line), language.names[0])
				}
			}
		}
		return err
	})
	for end, language := range languages {
		if err != nil || found[end] < language.least {
			t.Errorf("%d skips found in files %s, %v", found[end], end, err)
		}
	}
}
