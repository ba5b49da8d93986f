// Package kerneltest runs plans on the host with the CUDA kernels' own sources,
// each thread a fiber (kernels/cuda/emulate), for tests on machines without a
// CUDA device. It finds faults of logic, of barriers and of memory bounds; it
// says nothing of speed or of memory order.
package kerneltest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// Emulator is a program that runs the kernels of one module or some.
type Emulator string

// host gives device code its host forms. A look at another block's word lets
// other fibers run.
var host = strings.NewReplacer(
	"extern __shared__ uint4 dynamicShared[];", "uint4* const dynamicShared = emulated::dynamic;",
	"__shared__", "static",
	"return *(const volatile T*)p;", "return emulated::yield(), *(const volatile T*)p;")

// sharedScript gathers what the kernels declare as shared, which the host form makes
// static variables of functions in namespace gs, const members or not, so that the emulation can give
// each of several running blocks its own.
const sharedScript = `SECTIONS
{
	gs_shared (NOLOAD) : { gs_shared_begin = .; *(.bss._ZZN2gs*) *(.bss._ZZNK2gs*) gs_shared_end = .; }
}
INSERT BEFORE .bss;
`

// flags are the compiler's, but for the target, the include folder and the files.
// The loader binds names at the start. When a kernel calls one for the first time, it would write the
// registers, 2.4 KB with AVX-512, to the stack of a fiber.
var flags = []string{"-std=c++17", "-O1", "-w", "-fdata-sections", "-Wl,-z,now"}

// built holds a *sync.Mutex for each program's path: a process builds it once.
var built sync.Map

// Build compiles a program with the policies of target, "SM_90" or "PTX", into
// build/emulate, once for the same sources, flags and compiler: later tests,
// processes and runs take it. The program is that of a module of kernels/cuda/stage, or
// of several (programs). It skips the test
// where there is no C++ compiler. A test calls it from a folder three levels below
// the root.
func Build(t *testing.T, program, target string) Emulator {
	t.Helper()
	cxx, err := exec.LookPath("c++")
	if err != nil || runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		absent.Skip(t, "c++", "no emulation of the kernels, which needs it on the PATH, and linux/amd64")
	}
	root := filepath.Join("..", "..", "..")
	if _, err := os.Stat(filepath.Join(root, "kernels", "cuda")); err != nil {
		absent.Skip(t, "kernels/cuda", "no emulation of the kernels, whose sources it needs")
	}
	exe, err := build(cxx, filepath.Join(root, "kernels", "cuda"), filepath.Join(root, "build", "emulate"), program, target)
	if err != nil {
		t.Fatal(err)
	}
	return Emulator(exe)
}

// build returns the absolute path of the program for target in the folder into, which it
// makes of the sources below root with the compiler cxx if it is not there.
func build(cxx, root, into, program, target string) (string, error) {
	sources, err := read(root)
	if err != nil {
		return "", err
	}
	version, err := exec.Command(cxx, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", cxx, err)
	}
	if into, err = filepath.Abs(into); err != nil {
		return "", err
	}
	exe := filepath.Join(into, program+"-"+target+"-"+digest(sources, fmt.Sprint(includes(program), unused[program]), string(version)))
	lock, _ := built.LoadOrStore(exe, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	if _, err := os.Stat(exe); err == nil {
		return exe, nil
	}
	return exe, compile(cxx, sources, exe, program, target)
}

// read returns the files below root in their host form, by their paths from there.
func read(root string) (map[string]string, error) {
	files := map[string]string{}
	return files, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		files[rel] = host.Replace(string(text))
		return err
	})
}

// digest names what a program is made of: sources, its includes, flags, linker script and compiler.
func digest(sources map[string]string, text, version string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		fmt.Fprintf(h, "%q %q\n", name, sources[name])
	}
	fmt.Fprintf(h, "%q %q %q %q", text, flags, sharedScript, version)
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// compile makes the program exe, which appears whole or not at all.
func compile(cxx string, sources map[string]string, exe, program, target string) error {
	if err := os.MkdirAll(filepath.Dir(exe), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(exe), ".new*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sources["shared.ld"], sources["program.cpp"] = sharedScript, includes(program)
	for name, text := range sources {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	made, path := filepath.Join(dir, "program"), filepath.Join(dir, "program.cpp")
	args := append(slices.Clone(flags), "-DGS_TARGET_"+target, "-I", dir)
	text, err := withMain(cxx, path, sources["program.cpp"], unused[program], args)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	args = append(args, "-o", made, path, "-Wl,-T,"+filepath.Join(dir, "shared.ld"))
	if out, err := exec.Command(cxx, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s of %s for %s: %w\n%s", cxx, program, target, err, out)
	}
	return os.Rename(made, exe)
}
