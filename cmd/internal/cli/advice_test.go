package cli

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// What texts advise must be there: flags of the command, options of the library,
// variables of the environment.

const repo = "../../.."

var (
	longFlag = regexp.MustCompile(`(?:^|[^\w\-(])--([a-z][a-z0-9-]*[a-z0-9]|n)\b`)
	// A command line up to what ends it in a shell, in quotes and in prose.
	namedCommand = regexp.MustCompile("\\bgpusort ([a-z]+)((?:[^\\n|;&>`'\"()#\\\\]|'[^'\\n]*')*)")
	option       = regexp.MustCompile(`(\w+\.)?\bWith[A-Z]\w*`)
	variable     = regexp.MustCompile(`\bGPUSORT_[A-Z][A-Z_]*[A-Z]\b`)
)

// commands returns the flags of each sub-command, and of them all.
func commands() (of map[string]map[string]bool, all map[string]bool) {
	a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard}
	of, all = map[string]map[string]bool{}, map[string]bool{"help": true, "version": true}
	var add func(to map[string]bool, c *cobra.Command)
	add = func(to map[string]bool, c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *flagOf) {
			to[f.Name], all[f.Name] = true, true
			if f.Shorthand != "" {
				to[f.Shorthand] = true
			}
		})
		for _, sub := range c.Commands() {
			add(to, sub)
		}
	}
	for _, c := range a.root().Commands() {
		of[c.Name()] = map[string]bool{}
		add(of[c.Name()], c)
	}
	return of, all
}

// others are flags of other programs that sources and pages name, by who has them.
var others = map[string]string{
	"gpu-architecture": "nvcc", "csv": "ncu", "page": "ncu", "log-file": "ncu", "kernel-id": "ncu", "metrics": "ncu", "control": "perf", "build-arg": "buildah", "long": "zstd",
	"scope": "systemd-run", "user": "systemd-run",
}

// texts calls f for each file in which people read advice: pages, and sources of the
// library and the command, but not of tests.
func texts(t *testing.T, f func(name, text string)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(repo, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(repo, p)
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if p != repo && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"tools", "build", "testdata", "data", "baselines", "bench"}, d.Name())) {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasPrefix(name, "cluster/") || name == "docs/cluster.md" {
			return nil // flags of gpusort-cluster, which a test of its own compares
		}
		if ext := filepath.Ext(name); ext != ".md" && ext != ".toml" && (ext != ".go" || strings.HasSuffix(name, "_test.go")) {
			return nil
		}
		n++
		text, err := os.ReadFile(p)
		f(name, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 300 {
		t.Errorf("only %d files looked at", n)
	}
}

// line is the number of the line at an offset.
func line(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// TestFlagsExist: each flag that a text names is one of the command, and in a command
// line one of that sub-command.
func TestFlagsExist(t *testing.T) {
	of, all := commands()
	found := 0
	texts(t, func(name, text string) {
		for _, m := range longFlag.FindAllStringSubmatchIndex(text, -1) {
			found++
			if flag := text[m[2]:m[3]]; !all[flag] && others[flag] == "" {
				t.Errorf("%s:%d: no command has the flag --%s", name, line(text, m[2]), flag)
			}
		}
		for _, m := range namedCommand.FindAllStringSubmatchIndex(text, -1) {
			command := text[m[2]:m[3]]
			if of[command] == nil {
				continue // prose: "gpusort sorts …"
			}
			found++
			for _, flag := range wrongFlags(of[command], text[m[4]:m[5]]) {
				t.Errorf("%s:%d: gpusort %s has no flag %s", name, line(text, m[2]), command, flag)
			}
		}
	})
	if found < 500 {
		t.Errorf("only %d flags and command lines found", found)
	}
}

// wrongFlags returns what of a command line begins like a flag and is none of these.
func wrongFlags(flags map[string]bool, arguments string) (wrong []string) {
	for _, word := range strings.Fields(arguments) {
		word = strings.Trim(word, `.,:'`)
		name, isLong := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case isLong && name != "" && !flags[name]:
			wrong = append(wrong, word)
		case !isLong && len(word) > 1 && word[0] == '-' && 'A' <= word[1]&^0x20 && word[1]&^0x20 <= 'Z' && !flags[word[1:2]]:
			wrong = append(wrong, word)
		}
	}
	return wrong
}

// TestOptionsExist: each option WithX that a text names is one of the library, of
// package cpu, or of the standard library by its package's name.
func TestOptionsExist(t *testing.T) {
	known := map[string]bool{}
	for _, dir := range []string{".", "cpu"} {
		files, _ := filepath.Glob(filepath.Join(repo, dir, "*.go"))
		for _, file := range files {
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range tree.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
					known[f.Name.Name] = true
				}
			}
		}
	}
	found := 0
	texts(t, func(name, text string) {
		for _, m := range option.FindAllStringIndex(text, -1) {
			word := text[m[0]:m[1]]
			if pkg, rest, ok := strings.Cut(word, "."); ok {
				if pkg != "gpusort" && pkg != "cpu" {
					continue
				}
				word = rest
			}
			found++
			if !known[word] {
				t.Errorf("%s:%d: the library has no %s", name, line(text, m[0]), word)
			}
		}
	})
	if found < 50 {
		t.Errorf("only %d options found", found)
	}
}

// TestVariablesExist: each GPUSORT_… that a text names is read by a program or a script,
// or defined by a header.
func TestVariablesExist(t *testing.T) {
	known := map[string]bool{}
	err := filepath.WalkDir(repo, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.IsDir() && p != repo && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return err
		}
		use := ""
		switch filepath.Ext(p) {
		case ".go":
			use = `"(GPUSORT_[A-Z_]+)"`
		case ".sh":
			use = `\$\{?(GPUSORT_[A-Z_]+)`
		case ".h", ".cuh", ".cu", ".cl":
			use = `\b(GPUSORT_[A-Z_]+)`
		default:
			return nil
		}
		text, err := os.ReadFile(p)
		for _, m := range regexp.MustCompile(use).FindAllSubmatch(text, -1) {
			known[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	texts(t, func(name, text string) {
		for _, m := range variable.FindAllStringIndex(text, -1) {
			found++
			if word := text[m[0]:m[1]]; !known[word] {
				t.Errorf("%s:%d: nothing reads %s", name, line(text, m[0]), word)
			}
		}
	})
	if found < 30 {
		t.Errorf("only %d variables found", found)
	}
}

// advised is the command for scripts. It fails if its messages name a flag that its
// sub-command has not, unless they name the command that has it.
func advised() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	var said bytes.Buffer
	done := make(chan error)
	go func() {
		_, err := io.Copy(io.MultiWriter(os.Stderr, &said), r)
		done <- err
	}()
	code := Main(os.Args[1:], os.Stdin, os.Stdout, w)
	w.Close()
	if err := <-done; err != nil {
		panic(err)
	}
	of, _ := commands()
	if mine := of[append(os.Args, "", "")[1]]; mine != nil {
		for _, text := range strings.Split(said.String(), "\n") {
			for _, m := range longFlag.FindAllStringSubmatch(namedCommand.ReplaceAllString(text, ""), -1) {
				given := slices.ContainsFunc(os.Args, func(a string) bool { return strings.HasPrefix(a, "--"+m[1]) })
				if !mine[m[1]] && !given {
					fmt.Fprintf(os.Stderr, "ADVICE: gpusort %s has no --%s: %s\n", os.Args[1], m[1], text)
					code = 97
				}
			}
		}
	}
	os.Exit(code)
}
