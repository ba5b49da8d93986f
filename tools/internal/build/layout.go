package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/tools/internal/toolchain"
)

// Files of the layout, relative to the repository: the code, and what it was made from.
const (
	layoutCode   = "internal/kernel/layout/zlayout.go"
	layoutOrigin = "internal/kernel/layout/testdata/layout.json"
)

// Layout is what the modules tell planners of their kernels' memory (GS_CONSTANT and
// GS_SHARED in kernels/cuda/warp/word.cuh).
type Layout struct {
	SHA256     string   `json:"sha256"` // of zlayout.go
	Compilers  []string `json:"compilers"`
	SourceHash string   `json:"source_hash"`
	Sources    []string `json:"sources"`

	code []byte
}

// layoutFlag makes a compilation one for the words alone.
const layoutFlag = "-DGS_LAYOUT"

var (
	wordLine     = regexp.MustCompile(`(?m)^(?:\.visible )?\.global \.align 4 \.u32 gs_(constant|shared)_(\w+)(?: = (\d+))?;$`)
	constantLine = regexp.MustCompile(`(?m)^[ \t]*GS_CONSTANT\((\w+), (.*)\)[ \t]*$`)
)

// words are the numbers in the PTX of a module compiled with layoutFlag.
type words struct{ constants, shared map[string]uint32 }

func readWords(ptx []byte) (w words, err error) {
	w = words{map[string]uint32{}, map[string]uint32{}}
	for _, m := range wordLine.FindAllSubmatch(ptx, -1) {
		n := uint64(0) // what a compiler need not say
		if len(m[3]) != 0 {
			if n, err = strconv.ParseUint(string(m[3]), 10, 32); err != nil {
				return w, err
			}
		}
		if string(m[1]) == "constant" {
			w.constants[string(m[2])] = uint32(n)
		} else {
			w.shared["gs_"+string(m[2])] = uint32(n)
		}
	}
	return w, nil
}

// words90 compiles one stage for its words, with the compiler and flags of cubin.
func words90(nvcc, include []string, file string, flags []string, tmp string) (words, error) {
	out := filepath.Join(tmp, stem(file)+".layout.ptx")
	args := slices.Concat(nvcc[1:], []string{"-ptx", "-o", out, layoutFlag}, flags)
	for _, dir := range include {
		args = append(args, "-I", dir)
	}
	if log, err := exec.Command(nvcc[0], append(args, file)...).CombinedOutput(); err != nil {
		return words{}, fmt.Errorf("nvcc %s: %w\n%s", file, err, log)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return words{}, err
	}
	return readWords(text)
}

// layoutOf makes the layout of all stages. Unless they, or a compiler, have changed since
// last, it is last.
func layoutOf(toolsDir, repo string, stages []string, tmp string, last Layout) (l Layout, err error) {
	root, seen := filepath.Join(repo, "kernels/cuda"), map[string]bool{}
	for _, file := range stages {
		files, err := closure(root, file)
		if err != nil {
			return l, err
		}
		for _, f := range files {
			seen[f] = true
		}
	}
	files := slices.Sorted(maps.Keys(seen))
	if l.SourceHash, l.Sources, err = hashFiles(repo, files); err != nil {
		return l, err
	}
	l.Compilers = []string{toolchain.NVCCVersion, toolchain.NVRTCVersion}
	if last.SourceHash == l.SourceHash && slices.Equal(last.Compilers, l.Compilers) && last.code != nil {
		return last, nil
	}
	t, err := toolchain.Fetch(toolsDir)
	if err != nil {
		return l, err
	}
	g := generator{constants: map[string]uint32{}, shared: map[layout.Kernel][2]uint32{}}
	for _, file := range stages {
		sm90, err := words90([]string{t.NVCC}, []string{root}, file, flags90, tmp)
		if err != nil {
			return l, err
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return l, err
		}
		text, err := t.PTX(filepath.Base(file), src, slices.Concat([]string{"-I" + root, "-I" + filepath.Dir(file), layoutFlag}, flagsPTX))
		if err != nil {
			return l, err
		}
		ptx, err := readWords(text)
		if err != nil {
			return l, err
		}
		for target, w := range []words{sm90, ptx} {
			if err := g.add(target, w); err != nil {
				return l, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	if l.code, err = g.code(repo, files); err != nil {
		return l, err
	}
	l.SHA256 = sum(l.code)
	return l, nil
}

// generator collects the words of all modules.
type generator struct {
	constants map[string]uint32
	shared    map[layout.Kernel][2]uint32 // by target: sm_90, ptx
}

func (g generator) add(target int, w words) error {
	for name, n := range w.constants {
		if old, ok := g.constants[name]; ok && old != n {
			return fmt.Errorf("GS_CONSTANT(%s) is %d here and %d elsewhere: a constant is one number in all modules and for all targets", name, n, old)
		}
		g.constants[name] = n
	}
	for name, n := range w.shared {
		k, err := layout.Named(name)
		if err != nil {
			return err
		}
		both := g.shared[k]
		both[target] = n
		g.shared[k] = both
	}
	return nil
}

// code is zlayout.go. Each constant is told with its expression and file.
func (g generator) code(repo string, files []string) ([]byte, error) {
	origin := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(repo, f)
		if err != nil {
			return nil, err
		}
		for _, m := range constantLine.FindAllSubmatch(text, -1) {
			origin[string(m[1])] = fmt.Sprintf("%s in %s", m[2], filepath.ToSlash(rel))
		}
	}
	var b bytes.Buffer
	b.WriteString("// Code generated by tools/cmd/kernels from the modules of kernels/cuda. DO NOT EDIT.\n\npackage layout\n\nconst (\n")
	for _, name := range slices.Sorted(maps.Keys(g.constants)) {
		if origin[name] == "" {
			return nil, fmt.Errorf("no line GS_CONSTANT(%s, …) is in the sources: it must be alone on its line", name)
		}
		fmt.Fprintf(&b, "// %s is %s.\n%s = %d\n", name, origin[name], name, g.constants[name])
	}
	b.WriteString(")\n\n// table is the dynamic shared memory of the kernels, for sm_90 and ptx.\nfunc table() map[Kernel]bytes {\nreturn map[Kernel]bytes{\n")
	kernels := slices.Collect(maps.Keys(g.shared))
	sort.Slice(kernels, func(i, j int) bool { return less(kernels[i], kernels[j]) })
	for _, k := range kernels {
		fmt.Fprintf(&b, "{%q, %q, %d, %d}: {%d, %d},\n", k.Module, k.Stage, k.KeyBits, k.ValueBytes, g.shared[k][0], g.shared[k][1])
	}
	b.WriteString("}\n}\n")
	return format.Source(b.Bytes())
}

func less(a, b layout.Kernel) bool {
	if c := strings.Compare(a.Module+" "+a.Stage, b.Module+" "+b.Stage); c != 0 {
		return c < 0
	}
	return a.KeyBits*100+a.ValueBytes < b.KeyBits*100+b.ValueBytes
}

// storedLayout is the layout in the repository; it has no code if the files do not belong
// together.
func storedLayout(repo string) (l Layout) {
	text, err := os.ReadFile(filepath.Join(repo, layoutOrigin))
	if err != nil || json.Unmarshal(text, &l) != nil {
		return Layout{}
	}
	if code, err := os.ReadFile(filepath.Join(repo, layoutCode)); err == nil && sum(code) == l.SHA256 {
		l.code = code
	}
	return l
}

// origin is layout.json.
func (l Layout) origin() ([]byte, error) {
	text, err := json.MarshalIndent(l, "", " ")
	return append(text, '\n'), err
}

func (l Layout) write(repo string) error {
	text, err := l.origin()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(repo, layoutCode), l.code, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(repo, layoutOrigin), text, 0o644)
}

func (l Layout) compare(repo string) error {
	text, err := l.origin()
	if err != nil {
		return err
	}
	var errs []error
	for file, want := range map[string][]byte{layoutCode: l.code, layoutOrigin: text} {
		have, err := os.ReadFile(filepath.Join(repo, file))
		if err == nil && !bytes.Equal(have, want) {
			err = fmt.Errorf("%s differs from a fresh build", file)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
