package build

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/gpusort/gpusort/tools/internal/toolchain"
)

// ptxVersion is the PTX ISA that the embedded PTX declares. NVRTC writes the
// newest that it knows, which old drivers refuse; the kernels need nothing
// above 6.0 (the .sync votes and shuffles), and 6.4 is what drivers from 418
// on accept. Assembling for every target checks that it suffices.
const ptxVersion = "6.4"

// checked lists the targets that the PTX must assemble for: the cards of the
// reports (sm_61, sm_70, sm_75, sm_89) and Ampere to Blackwell.
var checked = []string{"sm_61", "sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}

var versionLine = regexp.MustCompile(`(?m)^\.version [0-9.]+$`)

// cubin compiles one stage to sm_90 machine code with the compiler, a command and
// its first arguments. Headers are looked for in the given folders, in order. The
// report is ptxas's.
func cubin(nvcc, include []string, file string, flags []string, tmp string) (code []byte, report string, err error) {
	out := filepath.Join(tmp, stem(file)+".cubin")
	args := slices.Concat(nvcc[1:], []string{"-cubin", "-Xptxas", "-v", "-o", out}, flags)
	for _, dir := range include {
		args = append(args, "-I", dir)
	}
	cmd := exec.Command(nvcc[0], append(args, file)...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Run(); err != nil {
		return nil, "", fmt.Errorf("nvcc %s: %w\n%s", file, err, log.String())
	}
	code, err = os.ReadFile(out)
	return code, log.String(), err
}

// ptx compiles one stage to PTX for compute_61 and assembles it for every
// checked target.
func ptx(t toolchain.Tools, root, file string, flags []string, tmp string) (code []byte, reports map[string]string, err error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	opts := append([]string{"-I" + root, "-I" + filepath.Dir(file)}, flags...)
	text, err := t.PTX(filepath.Base(file), src, opts)
	if err != nil {
		return nil, nil, err
	}
	if n := len(versionLine.FindAll(text, -1)); n != 1 {
		return nil, nil, fmt.Errorf("%s: %d .version lines in the PTX, want 1", file, n)
	}
	text = versionLine.ReplaceAll(text, []byte(".version "+ptxVersion))
	in := filepath.Join(tmp, stem(file)+".ptx")
	if err := os.WriteFile(in, text, 0o644); err != nil {
		return nil, nil, err
	}
	reports = map[string]string{}
	for _, arch := range checked {
		log, err := exec.Command(t.PTXAS12, "-v", "-arch="+arch, "-o", filepath.Join(tmp, stem(file)+".check.cubin"), in).CombinedOutput()
		if err != nil {
			return nil, nil, fmt.Errorf("ptxas %s for %s: %w\n%s", in, arch, err, log)
		}
		reports[arch] = string(log)
	}
	return text, reports, nil
}
