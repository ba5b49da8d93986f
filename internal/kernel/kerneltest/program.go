package kerneltest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// programs has the modules of each program that is not one module alone: those of which
// its plans launch kernels, behind what they include.
var programs = map[string][]string{
	"counting": {"counting", "scan", "onesweep"},
	"radix4":   {"radix4", "scan"},
	"msd":      {"msd", "onesweep"},
	"msdpairs": {"msd", "msdpairs", "onesweep"},
	"runs":     {"elements", "merge", "onesweep"},
	"strings":  {"onesweep", "segments", "strings"},
	"gate":     {"elements", "merge", "msd", "msdpairs", "onesweep"},
}

// unused has the kernels of a program that none of its plans launches. They are inline functions
// that nothing calls, so that they are not compiled; a plan that names one fails.
var unused = map[string]*regexp.Regexp{
	"counting": regexp.MustCompile(`^gs_onesweep_\w+_pairs`),
	"msdpairs": regexp.MustCompile(`^gs_msd_(first|second|runs|slow|halves|indices|slowindices|pack)_|^gs_onesweep_(histogram|finish|small)_(8|16)_`),
	"runs":     narrow,
	"gate":     narrow,
	"strings":  regexp.MustCompile(`_(8|16|32)_(keys|pairs32|pairs64)$|^gs_segments_\w+_64_keys`),
}

// narrow are kernels of elements of fewer than 64 bits, but for passes over parts of keys.
var narrow = regexp.MustCompile(`^gs_(merge|elements|msd|msdpairs)_\w+_(8|16|32)_|^gs_onesweep_(histogram|histogramwide|finish|small)_(8|16|32)_`)

// entryPoint finds the kernels of a preprocessed program: GS_GLOBAL, its launch bounds gone, and the name.
var entryPoint = regexp.MustCompile(`extern "C"\s+inline\s+void\s+(gs_\w+)\s*\(`)

// includes is a program but for main.
func includes(program string) string {
	modules := programs[program]
	if modules == nil {
		modules = []string{program}
	}
	var b strings.Builder
	b.WriteString("#include \"emulate/plan.h\"\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "#include \"stage/%s.cu\"\n", m)
	}
	return b.String()
}

// withMain returns the program in the file `path` with main behind it, which knows all of its
// kernels but those that skip matches: the preprocessor, called with args, says which there are.
func withMain(cxx, path, text string, skip *regexp.Regexp, args []string) (string, error) {
	cmd := exec.Command(cxx, append(slices.Clone(args), "-E", "-P", path)...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s -E of %s: %w", cxx, filepath.Base(path), err)
	}
	var b strings.Builder
	b.WriteString(text + "\nint main(int, char** argv) {\n  return emulated::run(argv, {\n")
	found := entryPoint.FindAllSubmatch(out, -1)
	for _, name := range found {
		if skip != nil && skip.Match(name[1]) {
			continue
		}
		fmt.Fprintf(&b, "    GS_KERNEL(%s),\n", name[1])
	}
	if len(found) == 0 {
		return "", fmt.Errorf("%s has no kernels: is one declared with GS_GLOBAL?", filepath.Base(path))
	}
	return b.String() + "  });\n}\n", nil
}
