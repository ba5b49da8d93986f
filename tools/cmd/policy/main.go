// Command policy generates the policy headers of the kernels and the Go table
// from internal/tune/policies.json. With -check it compares instead of
// writing, and fails if a file differs.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpusort/gpusort/tools/internal/policy"
)

func main() {
	root := flag.String("root", "..", "root of the repository")
	check := flag.Bool("check", false, "compare, do not write")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "policy:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	t, err := policy.Load(filepath.Join(root, "internal/tune/policies.json"))
	if err != nil {
		return err
	}
	g, err := t.Go()
	if err != nil {
		return err
	}
	type file struct {
		path string
		text []byte
	}
	files := []file{{"internal/tune/zpolicy.go", g}}
	for _, a := range t.Algorithms {
		files = append(files, file{"kernels/" + a.HeaderFile(), a.Header()})
	}
	for _, f := range files {
		path := filepath.Join(root, f.path)
		if check {
			have, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if !bytes.Equal(have, f.text) {
				return fmt.Errorf("%s is not what policies.json gives; run tools/cmd/policy", f.path)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
