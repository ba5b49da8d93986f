package steady

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestState(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for change, want := range map[string]string{"": "", "write": "written while it was read", "grow": "changed from 4 to 5 bytes", "cut": "changed from 4 to 0 bytes", "mode": "", "name": ""} {
		if err := os.WriteFile(name, []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
		past := time.Now().Add(-time.Hour)
		os.Chtimes(name, past, past)
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		was := Of(f)
		switch change {
		case "write":
			f.WriteAt([]byte("T"), 0)
		case "grow":
			f.WriteAt([]byte("s"), 4)
		case "cut":
			f.Truncate(0)
		case "mode":
			os.Chmod(name, 0o600)
		case "name":
			os.Remove(name)
		}
		err = was.Check(f)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v", change, err)
		}
		byName := was.CheckName(name)
		if change == "name" && !errors.Is(byName, fs.ErrNotExist) || change != "name" && (byName == nil) != (want == "") {
			t.Errorf("%s, by name: %v", change, byName)
		}
		if err := was.CheckBegin(f); change == "grow" && err != nil || change != "grow" && (err == nil) != (want == "") {
			t.Errorf("%s, but for growing: %v", change, err)
		}
		f.Close()
	}
}

// TestReplaced: another file of the same name, length and time is another file.
func TestReplaced(t *testing.T) {
	dir, when := t.TempDir(), time.Now()
	name, other := filepath.Join(dir, "file"), filepath.Join(dir, "other")
	for _, f := range []string{name, other} {
		os.WriteFile(f, []byte("text"), 0o666)
		os.Chtimes(f, when, when)
	}
	was := OfName(name)
	if err := was.CheckName(name); err != nil {
		t.Error(err)
	}
	os.Rename(other, name)
	if err := was.CheckName(name); err == nil || !strings.HasPrefix(err.Error(), "replaced") {
		t.Errorf("replaced: %v", err)
	}
}

// TestPipe: what is no regular file is never found changed.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	was := Of(r)
	w.WriteString("text")
	w.Close()
	if err := was.Check(r); err != nil {
		t.Error(err)
	}
}
