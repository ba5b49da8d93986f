package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFileNames: what is written gets the permissions of any new file, and no other name is left.
func TestFileNames(t *testing.T) {
	dir := t.TempDir()
	plain, err := os.Create(filepath.Join(t.TempDir(), "plain"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	want, _ := plain.Stat()
	name := func(base string) string { return filepath.ToSlash(filepath.Join(dir, "below", base)) }
	w, err := files{}.Create(t.Context(), name("written"), 0, 0)
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	for base, fresh := range map[string]bool{"put": false, "fresh": true} {
		if err := (files{}).Put(t.Context(), name(base), []byte(base), fresh); err != nil {
			t.Fatal(err)
		}
	}
	if err := (files{}).Put(t.Context(), name("fresh"), nil, true); !errors.Is(err, ErrExist) {
		t.Errorf("a second fresh put: %v", err)
	}
	all, _ := os.ReadDir(filepath.Join(dir, "below"))
	if len(all) != 3 {
		t.Errorf("%v", all)
	}
	for _, e := range all {
		if got, err := e.Info(); err != nil || got.Mode() != want.Mode() {
			t.Errorf("%s has mode %v, %v; want %v", e.Name(), got.Mode(), err, want.Mode())
		}
	}
}
