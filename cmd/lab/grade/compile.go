package grade

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/grade/child"
	"github.com/gpusort/gpusort/internal/key"
)

// keyNames are the key types as the two languages spell them.
var keyNames = map[key.Type][2]string{
	key.U8: {"uchar", "unsigned char"}, key.I8: {"char", "signed char"},
	key.U16: {"ushort", "unsigned short"}, key.I16: {"short", "short"},
	key.U32: {"uint", "unsigned int"}, key.I32: {"int", "int"},
	key.U64: {"ulong", "unsigned long long"}, key.I64: {"long", "long long"},
	key.F32: {"float", "float"}, key.F64: {"double", "double"},
}

// wrap writes a submission with what the harness puts around it.
func (g *grader) wrap(path, prelude, postlude, name string, language int) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	out := filepath.Join(g.dir, name)
	all := fmt.Sprintf("#define GPUSORT_KEY %s\n%s%s%s", keyNames[g.r.keyType][language], embedded(prelude), text, embedded(postlude))
	return out, os.WriteFile(out, []byte(all), 0o600)
}

func (g *grader) wrapCL(path string) (string, error) {
	return g.wrap(path, "prelude.cl", "postlude.cl", "submission.cl", 0)
}

// EnvNVCC names the CUDA compiler, if it is not nvcc on the PATH.
const EnvNVCC = "NVCC"

// compileTime bounds the compiler, which a submission's templates could keep
// busy for ever.
const compileTime = 2 * time.Minute

// compileCU compiles the device code of a CUDA submission to machine code for
// arch, by nvcc or else by NVRTC. Host code in it is left out: nothing of it
// ever runs.
func (g *grader) compileCU(ctx context.Context, path string, arch int) (kind, out string, err error) {
	src, err := g.wrap(path, "prelude.cuh", "postlude.cuh", "submission.cu", 1)
	if err != nil {
		return "", "", err
	}
	out = filepath.Join(g.dir, "submission.cubin")
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	name := os.Getenv(EnvNVCC)
	if name == "" {
		name = "nvcc"
	}
	target, include := fmt.Sprintf("--gpu-architecture=sm_%d", arch), "-I"+filepath.Dir(path)
	var c *exec.Cmd
	nvcc, noNVCC := exec.LookPath(name)
	if noNVCC == nil {
		c = exec.CommandContext(ctx, nvcc, "-std=c++17", "-O3", "-cubin", target, include, "-o", out, src)
	} else {
		args := append(slices.Clone(g.o.Command[1:]), child.CompileCommand, src, out, "-std=c++17", target, include)
		c = exec.CommandContext(ctx, g.o.Command[0], args...)
		c.Env = g.env
	}
	c.Dir, c.WaitDelay = g.dir, time.Second
	text, err := c.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed) && noNVCC != nil && failed.ExitCode() == child.ExitNoCompiler:
		return "", "", fmt.Errorf("compile %s: no CUDA compiler: put nvcc on the PATH or name it in $%s (%w); %s; without one, grade a .cl",
			filepath.Base(path), EnvNVCC, noNVCC, strings.TrimSpace(string(text)))
	case errors.As(err, &failed):
		return "", "", refusal{fmt.Errorf("does not compile (%w):\n%s", err, clip(strings.ReplaceAll(string(text), g.dir+"/", "")))}
	case err != nil:
		return "", "", fmt.Errorf("run %s: %w", c.Path, err)
	}
	return "cubin", out, nil
}

// clip shortens a compiler's messages; the first are the ones that matter.
func clip(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > tailBytes {
		s = s[:tailBytes] + " …"
	}
	return s
}
