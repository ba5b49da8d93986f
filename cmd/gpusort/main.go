// Command gpusort sorts files of numbers on the fastest device present: CUDA,
// OpenCL or the processor. See "gpusort --help".
package main

import (
	"os"

	"github.com/gpusort/gpusort/cmd/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
