// Command tidy runs "go mod tidy" in every module of this checkout, as if the
// modules that they require of each other were tagged. Sums of the modules
// themselves are left out of go.sum: go.work replaces them in a clone, and "go
// install" reads no go.sum.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpusort/gpusort/tools/internal/modproxy"
)

func main() {
	repo := flag.String("root", "..", "root of the repository")
	check := flag.Bool("check", false, "fail if a go.mod or go.sum is not tidy; they are tidy afterwards")
	flag.Parse()
	if err := run(*repo, *check); err != nil {
		fmt.Fprintln(os.Stderr, "tidy:", err)
		os.Exit(1)
	}
}

func run(repo string, check bool) error {
	dir, err := os.MkdirTemp("", "gpusort-tidy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := modproxy.New(repo, dir)
	if err != nil {
		return err
	}
	changed := 0
	for _, folder := range modproxy.Modules {
		at := filepath.Join(repo, folder)
		before := text(at)
		if err := dropOwn(filepath.Join(at, "go.sum")); err != nil {
			return err
		}
		if _, err := p.Go(at, nil, "mod", "tidy"); err != nil {
			return err
		}
		if err := dropOwn(filepath.Join(at, "go.sum")); err != nil {
			return err
		}
		if !bytes.Equal(before, text(at)) {
			fmt.Println("tidied", modproxy.Path(folder))
			changed++
		}
	}
	if check && changed > 0 {
		return fmt.Errorf("%d modules were not tidy: commit what make tidy changed", changed)
	}
	return nil
}

// text is go.mod and go.sum of a folder; a missing file is empty.
func text(folder string) []byte {
	mod, _ := os.ReadFile(filepath.Join(folder, "go.mod"))
	sum, _ := os.ReadFile(filepath.Join(folder, "go.sum"))
	return append(mod, sum...)
}

// dropOwn removes the lines of the checkout's own modules from a go.sum.
func dropOwn(name string) error {
	data, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept []byte
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(line, []byte(modproxy.Root+" ")) && !bytes.HasPrefix(line, []byte(modproxy.Root+"/")) {
			kept = append(kept, line...)
		}
	}
	return os.WriteFile(name, kept, 0o644)
}
