// Command check builds kernels/cuda/check, the stand-alone harness that runs
// the device code on real hardware with no Go and no toolkit: one executable
// with a static CUDA runtime. It needs a host C++ compiler.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/tools/internal/toolchain"
)

func main() {
	root := flag.String("root", "..", "root of the repository")
	dir := flag.String("tools", "", "folder for the compilers (default ROOT/.tools)")
	out := flag.String("o", "", "executable (default ROOT/build/check/onesweep_check)")
	flag.Parse()
	if *dir == "" {
		*dir = filepath.Join(*root, ".tools")
	}
	if *out == "" {
		*out = filepath.Join(*root, "build/check/onesweep_check")
	}
	if err := run(*root, *dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func run(root, dir, out string) error {
	t, err := toolchain.Fetch(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	sources, err := filepath.Glob(filepath.Join(root, "kernels/cuda/check/*.cu"))
	if err != nil {
		return err
	}
	include := filepath.Join(root, "kernels/cuda")
	var objects []string
	for _, src := range sources {
		obj := filepath.Join(filepath.Dir(out), strings.TrimSuffix(filepath.Base(src), ".cu")+".o")
		if err := command(t.NVCC, "-std=c++17", "-O3", "-arch=sm_90", "-I", t.CCCL, "-I", include, "-I", filepath.Dir(src), "-c", src, "-o", obj); err != nil {
			return err
		}
		objects = append(objects, obj)
	}
	link := []string{"-arch=sm_90", "-cudart", "static", "-L", t.Lib13, "-Xcompiler", "-static-libstdc++", "-Xcompiler", "-static-libgcc", "-o", out}
	return command(t.NVCC, append(link, objects...)...)
}

func command(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}
