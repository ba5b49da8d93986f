package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gpusort/gpusort/tools/internal/build"
	"github.com/gpusort/gpusort/tools/internal/policy"
)

// target is the only image that variants are made of: machine code.
const target = "sm_90"

// builder is one call of build.
type builder struct {
	root, tools, nvcc, out string
	algorithm              string
	key, value, workers    int
	settings               []setting
	axes                   []string
	spills                 bool

	table    policy.Table
	algo     policy.Algorithm
	variants *build.Variants
	common   entry // what all variants of the call share
}

func buildCommand(args []string, w io.Writer) error {
	b := builder{}
	f := flag.NewFlagSet("tune build", flag.ContinueOnError)
	f.StringVar(&b.algorithm, "algo", "", "`name` in the catalogue of the algorithm to tune")
	f.IntVar(&b.key, "key", 32, "`bits` of a key: the row's")
	f.IntVar(&b.value, "value", 0, "`bytes` of a value: the row's; 0: keys alone")
	f.StringVar(&b.out, "o", "", "`folder` for the variants; those of other rows in it stay")
	f.BoolVar(&b.spills, "spills", false, "keep variants that spill registers")
	f.IntVar(&b.workers, "j", runtime.NumCPU(), "compilers at once")
	f.StringVar(&b.root, "root", "..", "root of the repository")
	f.StringVar(&b.tools, "tools", "", "folder for the compilers (default ROOT/.tools)")
	f.StringVar(&b.nvcc, "nvcc", "", "another compiler than the pinned one")
	var sets []string
	f.Func("set", "`PARAM=V,V…` values of a parameter, or PARAM=FACTOR*FACTOR; repeatable", func(s string) error {
		x, err := parseSetting(s)
		b.settings, sets = append(b.settings, x), append(sets, s)
		return err
	})
	f.Func("axis", "`AXIS` of gpusort bench, in place of the row's key type and mode and of 2^28 uniform keys; repeatable", func(s string) error {
		b.axes = append(b.axes, s)
		return nil
	})
	if rest, err := interspersed(f, args); err != nil {
		return err
	} else if len(rest) > 0 || b.out == "" || b.algorithm == "" || len(b.settings) == 0 || b.workers < 1 {
		return fmt.Errorf("build takes -algo, at least one -set, and -o\n%s", usage)
	}
	b.common.Command = fmt.Sprintf("tune build -algo %s -key %d -value %d", b.algorithm, b.key, b.value)
	for _, s := range sets {
		b.common.Command += " -set " + s
	}
	for _, a := range b.axes {
		b.common.Command += " -axis '" + a + "'"
	}
	if err := b.prepare(); err != nil {
		return err
	}
	return b.run(w)
}

// prepare finds row, sources and compiler, and fills what the variants share.
func (b *builder) prepare() (err error) {
	module, ok := modules[b.algorithm]
	if !ok {
		return fmt.Errorf("-algo %s: no algorithm of the catalogue with CUDA policies has this name", b.algorithm)
	}
	c := &b.common
	c.Algorithm, c.Module, c.Target, c.KeyBits, c.ValueBytes = b.algorithm, module[min(b.value, 1)], target, b.key, b.value
	c.Experiment = fmt.Sprintf("%s-%d-%s", b.algorithm, b.key, policy.Suffix(b.value))
	if b.table, err = policy.Load(filepath.Join(b.root, "internal/tune/policies.json")); err != nil {
		return err
	}
	if b.algo, err = b.table.Find(c.Module, "cuda"); err != nil {
		return err
	}
	at, err := b.algo.Row(target, b.key, b.value)
	if err != nil {
		return err
	}
	c.Base = b.algo.Rows[at].Values
	for _, p := range b.algo.Params {
		c.Params = append(c.Params, p.Name)
	}
	if b.variants, err = build.NewVariants(b.root, c.Module); err != nil {
		return err
	}
	c.SourceHash, c.Flags, c.Date = b.variants.SourceHash, b.variants.Flags, time.Now().UTC().Format(time.RFC3339)
	if commit, err := exec.Command(filepath.Join(b.root, "tools/revision.sh")).Output(); err == nil {
		c.Commit = strings.TrimSpace(string(commit))
	}
	return b.compiler()
}

func (b *builder) run(w io.Writer) error {
	c := b.common
	grid, err := multiply(c.Params, c.Base, b.settings)
	if err != nil {
		return err
	}
	// The committed row is always measured beside the others.
	if !slices.ContainsFunc(grid, func(v []uint32) bool { return slices.Equal(v, c.Base) }) {
		grid = append(grid, c.Base)
	}
	text, err := experimentFile(b.algorithm, b.key, b.value, b.axes)
	if err != nil {
		return err
	}
	s, err := openStore(b.out)
	if err != nil {
		return err
	}
	for _, e := range s.Entries {
		if e.Module == c.Module && e.SourceHash != c.SourceHash {
			return fmt.Errorf("%s holds variants of other sources of %s, which one program cannot run beside these: give another folder", b.out, c.Module)
		}
	}
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.out, c.Experiment+".toml"), []byte(text), 0o644); err != nil {
		return err
	}
	all, err := b.compileAll(grid, w)
	if err != nil {
		return err
	}
	b.judge(all)
	for _, v := range all {
		if err := s.add(v.entry, v.table, v.code); err != nil {
			return err
		}
	}
	if err := s.write(); err != nil {
		return err
	}
	b.print(w, all)
	return nil
}
