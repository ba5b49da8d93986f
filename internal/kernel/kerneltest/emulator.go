// Package kerneltest runs plans on the host with the CUDA kernels' own sources,
// each thread a fiber (kernels/cuda/emulate), for tests on machines without a
// CUDA device. It finds faults of logic, of barriers and of memory bounds; it
// says nothing of speed or of memory order.
package kerneltest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// Emulator is a program that runs the kernels of one module.
type Emulator string

// host gives device code its host forms. A look at another block's word lets
// other fibers run.
var host = strings.NewReplacer(
	"extern __shared__ uint4 dynamicShared[];", "uint4* const dynamicShared = emulated::dynamic;",
	"__shared__", "static",
	"return *(const volatile u32*)p;", "return emulated::yield(), *(const volatile u32*)p;",
	"return *(const volatile u64*)p;", "return emulated::yield(), *(const volatile u64*)p;")

// sharedScript gathers what the kernels declare as shared, which the host form makes
// static variables of functions in namespace gs, const members or not, so that the emulation can give
// each of several running blocks its own.
const sharedScript = `SECTIONS
{
	gs_shared (NOLOAD) : { gs_shared_begin = .; *(.bss._ZZN2gs*) *(.bss._ZZNK2gs*) gs_shared_end = .; }
}
INSERT BEFORE .bss;
`

// Build compiles kernels/cuda/emulate/MODULE.cpp with the policies of target,
// "SM_90" or "PTX". It skips the test where there is no C++ compiler. A test
// calls it from a folder three levels below the root.
func Build(t *testing.T, module, target string) Emulator {
	t.Helper()
	cxx, err := exec.LookPath("c++")
	if err != nil || runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		absent.Skip(t, "c++", "no emulation of the kernels, which needs it on the PATH, and linux/amd64")
	}
	dir, root := t.TempDir(), filepath.Join("..", "..", "..", "kernels", "cuda")
	if _, err := os.Stat(root); err != nil {
		absent.Skip(t, "kernels/cuda", "no emulation of the kernels, whose sources it needs")
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, rel), 0o755)
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), []byte(host.Replace(string(text))), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "shared.ld")
	if err := os.WriteFile(script, []byte(sharedScript), 0o644); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "emulate", "run")
	cmd := exec.Command(cxx, "-std=c++17", "-O1", "-w", "-fdata-sections", "-DGS_TARGET_"+target, "-I", dir, "-o", exe,
		filepath.Join(dir, "emulate", module+".cpp"), "-Wl,-T,"+script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("c++: %v\n%s", err, out)
	}
	return Emulator(exe)
}
