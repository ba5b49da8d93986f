package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

func write(t *testing.T, name, text string, perm os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, perm); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// alone checks that a directory holds the named files only.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	ents, _ := os.ReadDir(dir)
	var got []string
	for _, e := range ents {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("directory holds %v, want %v", got, names)
	}
}

// eachTemp runs a test with temporary files that have no name, where there are such,
// and with named ones.
func eachTemp(t *testing.T, test func(t *testing.T)) {
	t.Run("nameless", func(t *testing.T) {
		if f, err := nameless(t.TempDir(), 0o600); err != nil {
			absent.Skip(t, "files without a name", "%v", err)
		} else {
			f.Close()
		}
		test(t)
	})
	t.Run("named", func(t *testing.T) {
		named(t)
		test(t)
	})
}

// named takes files without a name away from a test.
func named(t *testing.T) {
	old := nameless
	nameless = func(string, os.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }
	t.Cleanup(func() { nameless = old })
}

func TestReplace(t *testing.T) { eachTemp(t, testReplace) }

func testReplace(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "out"), filepath.Join(dir, "zlink")
	write(t, name, "old", 0o640)
	if err := os.Symlink(name, link); err != nil {
		absent.Skip(t, "symlinks", "%v", err)
	}
	o, err := Create(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	o.Write([]byte("new"))
	if read(t, name) != "old" {
		t.Error("the old contents went before Commit")
	}
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	o.Discard()
	if st, _ := os.Stat(name); read(t, name) != "new" || st.Mode().Perm() != 0o640 {
		t.Errorf("%q with mode %v", read(t, name), st.Mode())
	}
	alone(t, dir, "out", "zlink")
	if err := o.Commit(); err == nil {
		t.Error("second Commit succeeds")
	}
}

// TestDanglingLink makes the file that a link names, as sort -o does, and sees
// that two names are one place.
func TestDanglingLink(t *testing.T) { eachTemp(t, testDanglingLink) }

func testDanglingLink(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "out"), filepath.Join(dir, "zlink")
	if err := os.Symlink("out", link); err != nil {
		absent.Skip(t, "symlinks", "%v", err)
	}
	o, err := Create(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if !Same(link, name) || Same(link, dir) {
		t.Error("a link and its target are not seen as one place")
	}
	p.Discard()
	o.Write([]byte("new"))
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	if read(t, name) != "new" {
		t.Error("not where the link says")
	}
	alone(t, dir, "out", "zlink")
}

func TestDiscard(t *testing.T) { eachTemp(t, testDiscard) }

func testDiscard(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	write(t, name, "old", 0o600)
	o, err := Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	o.Write([]byte("new"))
	o.Discard()
	o.Discard()
	if read(t, name) != "old" {
		t.Error("the old contents are gone")
	}
	alone(t, dir, "out")
}

func TestAbandon(t *testing.T) {
	named(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	write(t, name, "old", 0o600)
	finished, err := Create(t.Context(), filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := finished.Commit(); err != nil {
		t.Fatal(err)
	}
	o, err := Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	Abandon()
	alone(t, dir, "a", "out")
	if err := o.Commit(); err == nil || read(t, name) != "old" {
		t.Errorf("an abandoned output was committed: %v", err)
	}
}

func TestNewFileGetsUmask(t *testing.T) { eachTemp(t, testNewFileGetsUmask) }

// TestNameTaken: a name that was free when the output was begun is another file's by
// the end, which is then replaced.
func TestNameTaken(t *testing.T) { eachTemp(t, testNameTaken) }

func testNameTaken(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	o, err := Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	o.Write([]byte("new"))
	write(t, name, "of another", 0o600)
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	if read(t, name) != "new" {
		t.Errorf("%q", read(t, name))
	}
	alone(t, dir, "out")
}

func testNewFileGetsUmask(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	write(t, filepath.Join(dir, "other"), "", 0o600)
	plain, _ := os.Create(filepath.Join(dir, "plain"))
	plain.Close()
	o, err := Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	a, _ := os.Stat(name)
	b, _ := os.Stat(plain.Name())
	if a.Mode() != b.Mode() {
		t.Errorf("mode %v, want %v", a.Mode(), b.Mode())
	}
}

func TestRefused(t *testing.T) { eachTemp(t, testRefused) }

func testRefused(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		dir:                                 "is a directory",
		filepath.Join(dir, "no", "out"):     "no temporary file",
		filepath.Join(dir, "no", "out", ""): "no temporary file",
	} {
		if _, err := Create(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	alone(t, dir)
}

func TestDeviceFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		absent.Skip(t, "/dev/full", "it is a Linux device")
	}
	o, err := Create(t.Context(), "/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Discard()
	_, err = o.Write([]byte("x"))
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != "writing /dev/full: no space left on the device" {
		t.Errorf("error %v", err)
	}
}

// TestDescriptorName writes to a pipe that only a link of /dev/fd names, as the
// shell's >(command) and a piped /dev/stdout are.
func TestDescriptorName(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	name := fmt.Sprintf("/dev/fd/%d", w.Fd())
	if _, err := os.Stat(name); err != nil {
		absent.Skip(t, "/dev/fd", "%v", err)
	}
	o, err := Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	o.Write([]byte("keys"))
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); string(b) != "keys" || err != nil {
		t.Errorf("%q, %v through the pipe", b, err)
	}
}

// TestLongName: a name as long as the file system takes leaves no room for more.
func TestLongName(t *testing.T) { eachTemp(t, testLongName) }

func testLongName(t *testing.T) {
	dir := t.TempDir()
	base := "x" + strings.Repeat("é", 127)
	name := filepath.Join(dir, base)
	if f, err := os.Create(name); err != nil {
		absent.Skip(t, "long names", "%v", err)
	} else {
		f.Close()
	}
	o, err := Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	o.Write([]byte("new"))
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	if read(t, name) != "new" {
		t.Error("not written")
	}
	alone(t, dir, base)
}
