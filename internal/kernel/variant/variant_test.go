package variant_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/variant"
	"github.com/gpusort/gpusort/internal/kernel/variant/varianttest"
)

const policies = "../../tune/policies.json"

func write(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "v")
	if _, err := varianttest.Write(dir, policies, "onesweep", 32, 0, "abc", func(v []uint32) { v[1] = 17 }); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLoad(t *testing.T) {
	v, err := variant.Load(write(t))
	if err != nil {
		t.Fatal(err)
	}
	if v.Module != "onesweep" || v.Values[1] != 17 || string(v.Code) != varianttest.Code || v.CodeFile() != "onesweep.sm_90.cubin" {
		t.Errorf("%+v", v.Info)
	}
	seen := false
	for _, r := range v.Rows {
		seen = seen || r.KeyBits == 32 && r.ValueBytes == 0 && r.Values[1] == 17
		if r.Target != "sm_90" {
			t.Errorf("a row for %s", r.Target)
		}
	}
	if !seen || len(v.Rows) != 12 {
		t.Errorf("%d rows, the changed one among them: %v", len(v.Rows), seen)
	}
}

// TestLoadRefuses: every way in which a folder can be wrong is told.
func TestLoadRefuses(t *testing.T) {
	replace := func(name, from, to string) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			after := strings.Replace(string(text), from, to, 1)
			if after == string(text) {
				t.Fatalf("%s holds no %q", name, from)
			}
			return os.WriteFile(path, []byte(after), 0o644)
		}
	}
	remove := func(name string) func(dir string) error {
		return func(dir string) error { return os.RemoveAll(filepath.Join(dir, name)) }
	}
	for _, c := range []struct {
		name, want string
		damage     func(dir string) error
	}{
		{"no folder", "variant.json", remove(".")},
		{"no description", "variant.json", remove(variant.InfoFile)},
		{"no table", "policies.json", remove(variant.TableFile)},
		{"no code", "onesweep.sm_90.cubin", remove("onesweep.sm_90.cubin")},
		{"broken description", "variant.json", replace(variant.InfoFile, "{", "[")},
		{"other target", "describes no variant", replace(variant.InfoFile, "sm_90", "ptx")},
		{"module is a path", "describes no variant", replace(variant.InfoFile, `"onesweep"`, `"../onesweep"`)},
		{"other code", "is not the code", replace("onesweep.sm_90.cubin", "no", "some")},
		{"other row", "not the table", replace(variant.TableFile, "17", "18")},
		{"other parameters", "other parameters", replace(variant.TableFile, `"threads"`, `"strands"`)},
		{"other values", "not the table", replace(variant.InfoFile, "17", "18")},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t)
			if err := c.damage(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := variant.Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
