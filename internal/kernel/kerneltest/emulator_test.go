package kerneltest

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestBuildOnce builds with a compiler that notes its calls: the same sources, flags
// and compiler are built once, others again, and what fails leaves nothing behind.
func TestBuildOnce(t *testing.T) {
	dir := t.TempDir()
	root, into, calls := filepath.Join(dir, "cuda"), filepath.Join(dir, "build"), filepath.Join(dir, "calls")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	compiler := func(version string) string {
		path := filepath.Join(dir, "c++")
		write(path, `#!/bin/sh
[ "$1" = --version ] && { echo `+version+`; exit 0; }
case " $* " in *" -E "*) echo 'extern "C"' 'inline void gs_m_kernel(int)'; exit 0;; esac
echo called >>`+calls+`
while [ "$1" != -o ]; do shift; done
grep -q broken "$(dirname "$3")/stage/m.cu" && exit 1
cp "$3" "$2"
`)
		return path
	}
	if err := os.MkdirAll(filepath.Join(root, "stage"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(root, "stage", "m.cu"), "one")
	write(filepath.Join(root, "h.cuh"), "")
	cxx := compiler("1.0")
	made := func(want int) {
		t.Helper()
		if text, _ := os.ReadFile(calls); strings.Count(string(text), "called") != want {
			t.Errorf("the compiler ran %d times, not %d", strings.Count(string(text), "called"), want)
		}
		if files, err := os.ReadDir(into); err != nil || len(files) != want {
			t.Errorf("%d programs, not %d: %v", len(files), want, err)
		}
	}
	need := func(target string) string {
		t.Helper()
		exe, err := build(cxx, root, into, "m", target)
		if err != nil {
			t.Fatal(err)
		}
		return exe
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := build(cxx, root, into, "m", "PTX"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	made(1)
	if text, err := os.ReadFile(need("PTX")); err != nil || !strings.Contains(string(text), "stage/m.cu") || !strings.Contains(string(text), "GS_KERNEL(gs_m_kernel)") {
		t.Errorf("the program is %q, %v", text, err)
	}
	need("SM_90")
	made(2)
	write(filepath.Join(root, "h.cuh"), "changed")
	need("PTX")
	made(3)
	cxx = compiler("2.0")
	need("PTX")
	made(4)
	defer func(were []string) { flags = were }(flags)
	flags = append(flags[:len(flags):len(flags)], "-O2")
	need("PTX")
	made(5)
	write(filepath.Join(root, "stage", "m.cu"), "broken")
	if exe, err := build(cxx, root, into, "m", "PTX"); err == nil || !strings.Contains(err.Error(), "m for PTX") {
		t.Errorf("%s was built of a broken source: %v", exe, err)
	}
	if files, _ := os.ReadDir(into); len(files) != 5 {
		t.Errorf("a failed build left %d files, not 5", len(files))
	}
}

// TestNoKernels: a program in which none is found is not built.
func TestNoKernels(t *testing.T) {
	dir := t.TempDir()
	cxx := filepath.Join(dir, "c++")
	if err := os.WriteFile(cxx, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := build(cxx, dir, filepath.Join(dir, "build"), "m", "PTX"); err == nil || !strings.Contains(err.Error(), "no kernels") {
		t.Errorf("%v, want that there are no kernels", err)
	}
}

// TestBoundAtStart: nothing is bound while a kernel runs, on the small stack of a fiber.
func TestBoundAtStart(t *testing.T) {
	f, err := elf.Open(string(Build(t, "scan", "PTX")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.DynValue(elf.DT_FLAGS)
	if err != nil || len(all) == 0 || elf.DynFlag(all[0])&elf.DF_BIND_NOW == 0 {
		t.Errorf("the emulator binds names when they are first called: flags %v, %v", all, err)
	}
}
