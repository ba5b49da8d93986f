//go:build amd64 || arm64

package child

import (
	"fmt"
	"os"

	"github.com/gpusort/gpusort/internal/driver/cuda/nvrtc"
)

// CompileCommand follows Command where the process compiles CUDA C++ with
// NVRTC instead of sorting: CompileCommand source output options… A compiler
// that a submission crashes is then not the grader's.
const CompileCommand = "nvrtc"

// The exit codes of a compilation.
const (
	ExitRejected   = 1 // the compiler's messages are on standard error
	ExitNoCompiler = 4 // why is on standard error
)

func compileNVRTC(args []string) int {
	c, err := nvrtc.Open()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return ExitNoCompiler
	}
	if err := confine(false); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return ExitNoCompiler
	}
	source, err := os.ReadFile(args[0])
	if err == nil {
		var code []byte
		if code, err = c.CUBIN("submission.cu", string(source), args[2:]...); err == nil {
			err = os.WriteFile(args[1], code, 0o600)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return ExitRejected
	}
	return 0
}
