//go:build amd64 || arm64

package child

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gpusort/gpusort/cmd/lab/grade/sandbox"
	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/internal/driver/cuda/nvrtc"
)

// CompileCommand follows Command where the process compiles CUDA C++ instead of
// sorting: CompileCommand compiler name options… compiler is a path of nvcc, or
// NVRTC. The source is the file that a submission has; machine code goes to the
// pipe to the grader, messages to standard error.
const CompileCommand = "compile"

// NVRTC names the library instead of a program.
const NVRTC = "nvrtc"

// The exit codes of a compilation.
const (
	ExitRejected   = 1
	ExitNoCompiler = 4
)

func compile(args []string) int {
	fail := func(code int, err error) int {
		fmt.Fprintln(os.Stderr, err)
		return code
	}
	compiler, name, options := args[0], args[1], args[2:]
	run := func(source string) ([]byte, error) { return nvcc(compiler, name, source, options) }
	if compiler == NVRTC {
		c, err := nvrtc.Open()
		if err != nil {
			return fail(ExitNoCompiler, err)
		}
		run = func(source string) ([]byte, error) { return c.CUBIN(name, source, options...) }
	}
	if err := sandbox.Filter(sandbox.Calls{Start: true, GPU: true}); err != nil {
		return fail(ExitNoCompiler, err)
	}
	source, err := code()
	if err != nil {
		return fail(ExitNoCompiler, err)
	}
	binary, err := run(string(source))
	if err != nil {
		return fail(ExitRejected, err)
	}
	if _, err := os.NewFile(wire.FDOut, "to the grader").Write(binary); err != nil {
		return fail(ExitNoCompiler, err)
	}
	return 0
}

func nvcc(compiler, name, source string, options []string) ([]byte, error) {
	in, out := filepath.Join(os.TempDir(), name), filepath.Join(os.TempDir(), "submission.cubin")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		return nil, err
	}
	c := exec.Command(compiler, append(options, "-O3", "-cubin", "-o", out, in)...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}
