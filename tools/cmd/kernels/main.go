// Command kernels builds the device code that internal/kernel embeds, with
// pinned compilers that it fetches itself. A module whose sources have not
// changed is kept. With -check it rebuilds everything, compares and writes
// nothing.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpusort/gpusort/tools/internal/build"
)

func main() {
	root := flag.String("root", "..", "root of the repository")
	dir := flag.String("tools", "", "folder for the compilers (default ROOT/.tools)")
	check := flag.Bool("check", false, "rebuild and compare, write nothing")
	fresh := flag.Bool("fresh", false, "compile also what has not changed")
	quiet := flag.Bool("q", false, "do not print registers and spills")
	flag.Parse()
	if *dir == "" {
		*dir = filepath.Join(*root, ".tools")
	}
	if err := run(*root, *dir, *check, *fresh || *check, *quiet); err != nil {
		fmt.Fprintln(os.Stderr, "kernels:", err)
		os.Exit(1)
	}
}

func run(root, dir string, check, fresh, quiet bool) error {
	w := os.Stdout
	if quiet {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer null.Close()
		w = null
	}
	m, err := build.All(root, dir, fresh, w)
	if err != nil {
		return err
	}
	if check {
		return m.Compare(root)
	}
	return m.Write(root)
}
