package cachedir

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestPath(t *testing.T) {
	user := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", user)
	t.Setenv("HOME", user)
	for env, want := range map[string]string{"": "gpusort/a/b", "/elsewhere": "/elsewhere/a/b", "off": ""} {
		t.Setenv(Env, env)
		got, err := Path("a", "b")
		switch {
		case want == "":
			if !errors.Is(err, ErrNone) {
				t.Errorf("off: %q, %v", got, err)
			}
		case err != nil:
			t.Errorf("%q: %v", env, err)
		case env == "":
			if base, e := os.UserCacheDir(); e != nil || got != filepath.Join(base, "gpusort", "a", "b") {
				t.Errorf("%q: %v", got, e)
			}
		case got != filepath.FromSlash(want):
			t.Errorf("%q: %q, want %q", env, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x", "file")
	for _, text := range []string{"first", "second"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	// A folder in the file's place: nothing is left beside it.
	if err := Write(filepath.Join(dir, "x"), []byte("no")); err == nil {
		t.Error("a folder was overwritten")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%d entries left, %v", len(left), err)
	}
}
