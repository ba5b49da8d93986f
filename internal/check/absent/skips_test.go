package absent_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// plainSkip is a skip that names nothing that could be required.
var plainSkip = regexp.MustCompile(`\b[a-z]+\.(Skip|Skipf|SkipNow)\(`)

// TestSkipsName: all tests of the repository skip by Skip of this package.
func TestSkipsName(t *testing.T) {
	root, found := filepath.Join("..", "..", ".."), 0
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
		if filepath.Ext(p) != ".go" || filepath.Base(filepath.Dir(p)) == "absent" {
			return nil
		}
		text, err := os.ReadFile(p)
		if !bytes.Contains(text, []byte(`"testing"`)) {
			return err // what is skipped there is no test
		}
		for n, line := range strings.Split(string(text), "\n") {
			for _, call := range plainSkip.FindAllString(line, -1) {
				if found++; call != "absent.Skip(" {
					t.Errorf("%s:%d: %s: call absent.Skip, which names what is absent", p, n+1, strings.TrimSpace(line))
				}
			}
		}
		return err
	})
	if err != nil || found < 50 {
		t.Errorf("%d skips found, %v", found, err)
	}
}
