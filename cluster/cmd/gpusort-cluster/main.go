// Command gpusort-cluster runs the tasks of a sort that many machines share.
package main

import (
	"os"

	"github.com/gpusort/gpusort/cluster/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
