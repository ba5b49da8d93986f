package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gpusort/gpusort/tools/internal/build"
	"github.com/gpusort/gpusort/tools/internal/toolchain"
)

// compiler finds nvcc; it runs behind everybody else, where there is nice(1).
func (b *builder) compiler() error {
	path := b.nvcc
	if path == "" {
		if b.tools == "" {
			b.tools = filepath.Join(b.root, ".tools")
		}
		t, err := toolchain.Fetch(b.tools)
		if err != nil {
			return err
		}
		path, b.common.Compiler = t.NVCC, toolchain.NVCCVersion
	} else {
		text, err := exec.Command(path, "--version").Output()
		if err != nil {
			return fmt.Errorf("%s --version: %w", path, err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		b.common.Compiler = lines[len(lines)-1]
	}
	b.variants.NVCC = []string{path}
	if nice, err := exec.LookPath("nice"); err == nil {
		b.variants.NVCC = []string{nice, "-n", "15", path}
	}
	return nil
}

// built is what one compilation gave.
type built struct {
	entry
	table, code []byte
}

// compileAll compiles the grid, as many at once as there are workers.
func (b *builder) compileAll(grid [][]uint32, w io.Writer) ([]*built, error) {
	all, errs := make([]*built, len(grid)), make([]error, len(grid))
	var wg sync.WaitGroup
	var mu sync.Mutex // of w
	next := make(chan int)
	for range min(b.workers, len(grid)) {
		wg.Go(func() {
			for i := range next {
				start := time.Now()
				all[i], errs[i] = b.compile(grid[i])
				mu.Lock()
				fmt.Fprintf(w, "%3d of %d  %s  %.0f s\n", i+1, len(grid), name(b.common.Experiment, b.common.Params, b.settings, grid[i]), time.Since(start).Seconds())
				mu.Unlock()
			}
		})
	}
	for i := range grid {
		next <- i
	}
	close(next)
	wg.Wait()
	return all, errors.Join(errs...)
}

// compile makes one variant. That the compiler refuses it is a reason, not an error.
func (b *builder) compile(values []uint32) (*built, error) {
	v := &built{entry: b.common}
	v.Name, v.Values = name(v.Experiment, v.Params, b.settings, values), values
	v.Committed = slices.Equal(values, v.Base)
	t, err := b.table.With(v.Module, "cuda", target, v.KeyBits, v.ValueBytes, values, "a variant, not measured yet")
	if err != nil {
		return nil, err
	}
	a, err := t.Find(v.Module, "cuda")
	if err != nil {
		return nil, err
	}
	v.table, v.PolicyHash = t.JSON(), fmt.Sprintf("%016x", a.Hash(target))
	code, usage, shared, err := b.variants.Compile(a.HeaderFile(), a.Header())
	if err != nil {
		v.Reason = "does not compile: " + refusal(err.Error())
		return v, nil
	}
	v.code, v.SHA256 = code, build.Sum(code)
	v.Kernels, v.Shared = usage, shared
	return v, nil
}

// refusal is the compiler's first complaint, without folders.
func refusal(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	i := max(0, slices.IndexFunc(lines[1:], func(l string) bool { return strings.Contains(l, "error") })+1)
	words := strings.Fields(lines[i])
	for i, w := range words {
		if strings.HasPrefix(w, "/") {
			words[i] = filepath.Base(w)
		}
	}
	short := strings.Join(words, " ")
	if len(short) > 200 {
		short = short[:200] + "…"
	}
	return short
}
