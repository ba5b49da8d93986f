package build

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/layout"
)

// TestReadWords: the words as both compilers write them; other variables are none.
func TestReadWords(t *testing.T) {
	w, err := readWords([]byte(`.version 6.4
.visible .global .align 4 .u32 gs_constant_ControlBytes = 49248;
.global .align 4 .u32 gs_constant_Nothing;
.global .align 4 .u32 gs_shared_onesweep_pass_32_keys = 67408;
.global .align 4 .u32 other = 3;
`))
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(w.constants, map[string]uint32{"ControlBytes": 49248, "Nothing": 0}) ||
		!maps.Equal(w.shared, map[string]uint32{"gs_onesweep_pass_32_keys": 67408}) {
		t.Errorf("%v", w)
	}
}

// TestGenerator: a constant that is not one number, and one whose line is not found, are errors.
func TestGenerator(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.cuh")
	if err := os.WriteFile(file, []byte("GS_CONSTANT(ControlBytes, sizeof(Control))\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g := generator{constants: map[string]uint32{}, shared: map[layout.Kernel][2]uint32{}}
	if err := g.add(0, words{map[string]uint32{"ControlBytes": 1}, map[string]uint32{"gs_a_b_32_keys": 2}}); err != nil {
		t.Fatal(err)
	}
	if err := g.add(1, words{map[string]uint32{"ControlBytes": 2}, nil}); err == nil || !strings.Contains(err.Error(), "ControlBytes") {
		t.Errorf("a constant of two values: %v", err)
	}
	text, err := g.code(dir, []string{file})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"// ControlBytes is sizeof(Control) in a.cuh.\n", "ControlBytes = 1\n", `{"a", "b", 32, 0}: {2, 0},`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the code lacks %q:\n%s", want, text)
		}
	}
	if _, err := g.code(dir, nil); err == nil {
		t.Error("a constant without a line in the sources was taken")
	}
}
