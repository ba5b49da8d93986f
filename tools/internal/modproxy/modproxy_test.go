package modproxy

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// checkout is a small repository of the modules: a file each that git tracks,
// one that it would add and one that it ignores.
func checkout(t *testing.T) string {
	t.Helper()
	repo := t.TempDir()
	require := "\ngo 1.26\n\nrequire " + Root + " v0.9.0\n"
	for name, text := range map[string]string{
		"LICENSE": "licence\n", ".gitignore": "ignored\n", "go.mod": "module " + Root + "\n\ngo 1.26\n", "a.go": "package gpusort\n",
		"cmd/go.mod": "module " + Root + "/cmd\n" + require, "cmd/c.go": "package cmd\n", "cmd/added.go": "package cmd\n", "cmd/ignored": "x",
		"cluster/go.mod": "module " + Root + "/cluster\n" + require, "cluster/d.go": "package cluster\n",
		"tools/go.mod": "module " + Root + "/tools\n" + require + "\nreplace example.com/a => ../a\n",
	} {
		name = filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "LICENSE", ".gitignore", "go.mod", "a.go", "cmd/go.mod", "cmd/c.go", "cluster/go.mod", "cluster/d.go", "tools/go.mod"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return repo
}

// TestZips checks that each module's zip has its own files, none of a module below it,
// and a licence.
func TestZips(t *testing.T) {
	p, err := New(checkout(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if p.Version != "v0.9.0" {
		t.Errorf("version %s, want what cmd requires of the library", p.Version)
	}
	for folder, want := range map[string][]string{
		".": {".gitignore", "LICENSE", "a.go", "go.mod"}, "cmd": {"LICENSE", "added.go", "c.go", "go.mod"}, "cluster": {"LICENSE", "d.go", "go.mod"}, "tools": {"LICENSE", "go.mod"},
	} {
		z, err := zip.OpenReader(filepath.Join(p.Dir, "proxy", Path(folder), "@v/v0.9.0.zip"))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		var names []string
		for _, f := range z.File {
			names = append(names, f.Name[len(Path(folder)+"@v0.9.0/"):])
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("module %s holds %q, want %q", folder, names, want)
		}
	}
}

func TestReplaced(t *testing.T) {
	repo := checkout(t)
	for folder, want := range map[string]string{".": "", "cmd": "", "cluster": "", "tools": "replace example.com/a"} {
		if got, err := Replaced(repo, folder); err != nil || got != want {
			t.Errorf("module %s: %q, %v; want %q", folder, got, err, want)
		}
	}
}
