//go:build amd64 || arm64

package grade

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/grade/child"
)

// EnvNVCC names the CUDA compiler, if it is not nvcc on the PATH.
const EnvNVCC = "NVCC"

// compileTime bounds the compiler, which a submission's templates could keep
// busy for ever.
const compileTime = 2 * time.Minute

// compileMemory bounds what each of its processes takes.
const compileMemory = 8 << 30

// compileCU replaces the code of a CUDA submission by machine code for arch,
// made by nvcc or else by NVRTC. Host code in it is left out: nothing of it ever
// runs.
func (g *grader) compileCU(ctx context.Context, arch int) error {
	g.o.Progress("compiling " + g.name)
	name := os.Getenv(EnvNVCC)
	if name == "" {
		name = "nvcc"
	}
	var read []string
	compiler, noNVCC := exec.LookPath(name)
	if noNVCC == nil {
		var err error
		if compiler, err = filepath.Abs(compiler); err != nil {
			return err
		}
		if real, err := filepath.EvalSymlinks(compiler); err == nil {
			compiler = real
		}
		read = append(read, filepath.Dir(filepath.Dir(compiler))) // bin/nvcc and the toolkit around it
	} else {
		compiler = child.NVRTC
	}
	source := wrap(g.r, CU, g.name, string(g.code))
	binary, messages, err := g.compile(ctx, read, compiler, shortName(g.name), source, "-std=c++17", fmt.Sprintf("--gpu-architecture=sm_%d", arch))
	switch {
	case err != nil && noNVCC != nil:
		return fmt.Errorf("compile %s: no CUDA compiler: put nvcc on the PATH or name it in $%s (%w); %w; without one, grade a .cl",
			g.name, EnvNVCC, noNVCC, err)
	case err != nil:
		return fmt.Errorf("compile %s: %w", g.name, err)
	case messages != "":
		return refusal{fmt.Errorf("does not compile:\n%s", clip(strings.ReplaceAll(messages, "/tmp/", "")))}
	}
	g.job.Kind, g.code = "cubin", binary
	return nil
}
