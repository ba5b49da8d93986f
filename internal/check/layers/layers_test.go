package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/gpusort/gpusort"

// ruleFor returns the rule with the longest path that holds dir.
func ruleFor(dir string) (best Rule, ok bool) {
	for _, r := range Rules {
		if dir == r.Path || r.Path != "." && strings.HasPrefix(dir, r.Path+"/") {
			if !ok || len(r.Path) > len(best.Path) {
				best, ok = r, true
			}
		}
	}
	return best, ok
}

func allowed(r Rule, dir, imp string) bool {
	if rest, ours := strings.CutPrefix(imp, module); ours {
		imp = strings.TrimPrefix(rest, "/")
		if imp == "" {
			imp = "."
		}
	} else if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return true // standard library
	}
	for _, m := range r.May {
		base, tree := strings.CutSuffix(m, "/...")
		if imp == base || tree && strings.HasPrefix(imp, base+"/") {
			return true
		}
	}
	return false
}

// TestLayers reads the imports of every file that is no test: tests may reach
// for oracles and doubles above their package.
func TestLayers(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	checked := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel == "tools" || rel != "." && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		r, ok := ruleFor(path.Dir(rel))
		if !ok {
			return nil // above the library: the lab and the commands
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		checked++
		for _, i := range f.Imports {
			imp, _ := strconv.Unquote(i.Path.Value)
			if !allowed(r, path.Dir(rel), imp) {
				t.Errorf("%s imports %s; the rule of %q allows %v", rel, imp, r.Path, r.May)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 8 {
		t.Fatalf("only %d files looked at: is the path to the module's root right?", checked)
	}
}

func TestRuleSees(t *testing.T) {
	r, _ := ruleFor("internal/key")
	if allowed(r, "internal/key", module+"/internal/driver") {
		t.Error("key may not import driver")
	}
	if !allowed(r, "internal/key", "math/bits") {
		t.Error("the standard library is allowed")
	}
	r, _ = ruleFor("internal/algo/onesweep")
	if allowed(r, "", module+"/internal/driver/cuda") || !allowed(r, "", module+"/internal/plan") {
		t.Error("an algorithm sees plans, not drivers")
	}
}
