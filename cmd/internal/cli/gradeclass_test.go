package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestClassRefuses what holds for one submission alone.
func TestClassRefuses(t *testing.T) {
	dir := t.TempDir()
	rubric := filepath.Join(dir, "r.toml")
	if err := os.WriteFile(rubric, []byte("[[size]]\nn = 10\npoints = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"--seed=3": "inputs that nobody could know", "--pass=3": "--pass is for one", "--json=x": "--json is for one"} {
		_, msg, code := runOn(t, "grade", "a.cl", "b.cl", "--rubric", rubric, "-o", filepath.Join(dir, "class"), flag)
		if code != exitError || !strings.Contains(msg, want) {
			t.Errorf("%s: code %d, %q", flag, code, msg)
		}
	}
}

// TestFolderOfSubmissions: a folder is a class of all submissions in it, at any depth; what has none
// is named, and links are listed, not followed.
func TestFolderOfSubmissions(t *testing.T) {
	dir := t.TempDir()
	rubric := filepath.Join(dir, "r.toml")
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("r.toml", "accept = [\"cl\"]\n[[size]]\nn = 10\npoints = 1\n")
	write("in/ann.so", "x")
	write("in/bob/lab/sort.SO", "x")
	write("in/bob/readme.md", "x")
	write("in/cid/sort.c", "x")
	write("in/__MACOSX/ann/._sort.so", "x")
	write("in/--rubric=mine.so", "x")
	write("none/sort.c", "x")
	if err := os.Symlink(filepath.Join(dir, "in", "ann.so"), filepath.Join(dir, "in", "dot.so")); err != nil {
		absent.Skip(t, "symlinks", "%v", err)
	}
	if err := os.Symlink(filepath.Join(dir, "in", "bob"), filepath.Join(dir, "in", "eve")); err != nil {
		t.Fatal(err)
	}
	g := &gradeCmd{app: &app{err: &bytes.Buffer{}}}
	list, folders, err := g.submissionsOf([]string{filepath.Join(dir, "in"), "x.cl"})
	var got []string
	for _, path := range list {
		got = append(got, strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir)+"/"))
	}
	if want := "in/--rubric=mine.so in/ann.so in/bob/lab/sort.SO in/dot.so x.cl"; err != nil || !folders || strings.Join(got, " ") != want {
		t.Errorf("%v, %v; want %s", got, err, want)
	}
	said := g.err.(*bytes.Buffer).String()
	if strings.Count(said, "\n") != 1 || !strings.Contains(said, filepath.Join("in", "cid")) || !strings.Contains(said, filepath.Join("in", "eve")) || strings.Contains(said, "bob") {
		t.Errorf("said %q", said)
	}
	g.err = &bytes.Buffer{}
	write("odd/ann.so", "x")
	if err := os.Mkdir(filepath.Join(dir, "odd", "x\ngpusort: all is well"), 0o700); err != nil {
		absent.Skip(t, "odd names", "%v", err)
	}
	if _, _, err := g.submissionsOf([]string{filepath.Join(dir, "odd")}); err != nil {
		t.Error(err)
	}
	if said := g.err.(*bytes.Buffer).String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, `x\ngpusort: all is well"`) {
		t.Errorf("a name of two lines: said %q", said)
	}
	// A folder whose path is longer than systems take cannot be read.
	write("deep/ann.so", "x")
	at, err := os.OpenRoot(filepath.Join(dir, "deep"))
	for range 40 {
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("x", 200)
		if err := at.Mkdir(long, 0o700); err != nil {
			absent.Skip(t, "long paths", "%v", err)
		}
		below, e := at.OpenRoot(long)
		at.Close()
		at, err = below, e
	}
	at.Close()
	g.err = &bytes.Buffer{}
	list, _, err = g.submissionsOf([]string{filepath.Join(dir, "deep")})
	if said := g.err.(*bytes.Buffer).String(); err != nil || len(list) != 1 || strings.Count(said, "\n") != 1 || !strings.Contains(said, "too long") && runtime.GOOS == "linux" {
		t.Errorf("a folder that cannot be read: %d submissions, %v, said %.200q", len(list), err, said)
	}
	if _, msg, code := runOn(t, "grade", filepath.Join(dir, "none"), "--rubric", rubric, "-o", filepath.Join(dir, "class")); code != exitError || !strings.Contains(msg, "no submission in it") {
		t.Errorf("a folder without any: code %d, %q", code, msg)
	}
	if _, msg, code := runOn(t, "grade", filepath.Join(dir, "in", "bob"), "--rubric", rubric); code != exitError || !strings.Contains(msg, "give -o FOLDER") {
		t.Errorf("a folder with one, without -o: code %d, %q", code, msg)
	}
}

// TestOutputAmongSubmissions: a link that a student handed in leads no page or table of the class to
// another file.
func TestOutputAmongSubmissions(t *testing.T) {
	dir := t.TempDir()
	in, link := filepath.Join(dir, "in"), filepath.Join(dir, "link")
	ann := filepath.Join(in, "ann.so")
	if err := errors.Join(os.MkdirAll(filepath.Join(in, "eve"), 0o755), os.WriteFile(ann, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("in", link); err != nil {
		absent.Skip(t, "symlinks", "%v", err)
	}
	for _, c := range []struct {
		arg, output string
		refused     bool
	}{
		{in, in, true}, {in + "/", filepath.Join(in, "eve"), true}, {in, filepath.Join(in, "new", "class"), true},
		{in, link, true}, {link, in, true}, {in, filepath.Join(link, "new"), true},
		{ann, in, true}, {filepath.Join(in, "eve", "..", "ann.so"), link, true},
		{in, filepath.Join(dir, "in2"), false}, {in, dir, false}, {ann, filepath.Join(in, "class"), false}, {in, "", false},
	} {
		g := &gradeCmd{app: &app{err: &bytes.Buffer{}}, output: c.output}
		_, _, err := g.submissionsOf([]string{c.arg})
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "give a folder of its own") {
			t.Errorf("%s into %q: %v", c.arg, c.output, err)
		}
	}
}

// TestManyOfOne: that somebody handed in many is told before they are graded, the most first.
func TestManyOfOne(t *testing.T) {
	dir := t.TempDir()
	for who, n := range map[string]int{"ann": 1, "bob": 2, "eve": 30} {
		for i := range n {
			at := filepath.Join(dir, who, fmt.Sprint(i))
			if err := os.MkdirAll(at, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(at, "x.cl"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	var said bytes.Buffer
	g := &gradeCmd{app: &app{err: &said}}
	list, _, err := g.submissionsOf([]string{dir})
	if want := fmt.Sprintf("gpusort: several submissions, each with a grade of its own, in %s (30), %s (2)\n", filepath.Join(dir, "eve"), filepath.Join(dir, "bob")); err != nil || len(list) != 33 || said.String() != want {
		t.Errorf("%d submissions, %v, said %q, want %q", len(list), err, &said, want)
	}
}
