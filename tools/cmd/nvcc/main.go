// Command nvcc fetches the pinned compilers, as cmd/kernels does, and prints
// the path of nvcc for scripts.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/gpusort/gpusort/tools/internal/toolchain"
)

func main() {
	dir := flag.String("tools", "../.tools", "folder for the compilers")
	flag.Parse()
	t, err := toolchain.Fetch(*dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "nvcc:", err)
		os.Exit(1)
	}
	fmt.Println(t.NVCC)
}
