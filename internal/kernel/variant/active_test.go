package variant

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestActivateRefuses(t *testing.T) {
	for dir, want := range map[string]string{
		"here":                                "not an absolute path",
		".":                                   "not an absolute path",
		filepath.Join(t.TempDir(), "missing"): "variant.json",
	} {
		var warn strings.Builder
		v, err := activate(dir, &warn)
		if v != nil || err == nil || !strings.Contains(err.Error(), Env+"="+dir) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", dir, err, want)
		}
		if !strings.Contains(warn.String(), "warning: no CUDA code is run") {
			t.Errorf("%q: standard error has %q", dir, warn.String())
		}
	}
	var warn strings.Builder
	if v, err := activate("", &warn); v != nil || err != nil || warn.Len() != 0 {
		t.Errorf("without the variable: %v, %v, %q", v, err, warn.String())
	}
}
