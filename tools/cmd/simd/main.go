// Simd writes the vector kernels of internal/algo/cpu/simd as Go assembly.
//
//	go run ./cmd/simd [-o ../internal/algo/cpu/simd] [-check]
//
// With -check it writes nothing and fails if a file differs from what it would
// write.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	out := flag.String("o", "../internal/algo/cpu/simd", "folder of the generated files")
	check := flag.Bool("check", false, "compare with the files instead of writing them")
	flag.Parse()
	failed := false
	for _, f := range []struct {
		name string
		gen  func(c *build.Context)
	}{
		{"avx512", genAVX512},
		{"avx2", genAVX2},
	} {
		c := build.NewContext()
		c.ConstraintExpr("!noasm,!purego")
		f.gen(c)
		for name, text := range render(c, "z"+f.name) {
			path := filepath.Join(*out, name)
			if *check {
				if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, text) {
					fmt.Fprintf(os.Stderr, "%s differs from its generator: run go run ./cmd/simd in tools\n", path)
					failed = true
				}
			} else if err := os.WriteFile(path, text, 0o644); err != nil {
				fmt.Fprintln(os.Stderr, err)
				failed = true
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

// render compiles the functions of c and prints the assembly and its Go
// declarations.
func render(c *build.Context, name string) map[string][]byte {
	f, err := c.Result()
	if err == nil {
		err = pass.Compile.Execute(f)
	}
	cfg := printer.Config{Name: "simd", Argv: []string{"go", "run", "./cmd/simd"}, Pkg: "simd"}
	var asm, stub []byte
	if err == nil {
		asm, err = printer.NewGoAsm(cfg).Print(f)
	}
	if err == nil {
		stub, err = printer.NewStubs(cfg).Print(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "simd:", err)
		os.Exit(1)
	}
	return map[string][]byte{name + "_amd64.s": asm, name + "_amd64.go": stub}
}
