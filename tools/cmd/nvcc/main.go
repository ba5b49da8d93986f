// Command nvcc fetches the pinned compilers, as cmd/kernels does, and prints
// the path of nvcc, or of the newest CCCL headers, for scripts.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/gpusort/gpusort/tools/internal/toolchain"
)

func main() {
	dir := flag.String("tools", "../.tools", "folder for the compilers")
	cccl := flag.Bool("cccl", false, "fetch the newest CCCL headers alone and print their folder")
	flag.Parse()
	if *cccl {
		path, err := toolchain.NewestCCCL(*dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "nvcc:", err)
			os.Exit(1)
		}
		fmt.Println(path)
		return
	}
	t, err := toolchain.Fetch(*dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "nvcc:", err)
		os.Exit(1)
	}
	fmt.Println(t.NVCC)
}
