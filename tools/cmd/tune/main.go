// Command tune finds the geometry of CUDA kernels by measuring: it multiplies a
// grid of values over one row of internal/tune/policies.json and compiles each
// variant (build), and joins what run.sh measured of them on a GPU into a table,
// from which a row may be taken (table). docs/benchmarking.md has the whole way.
package main

import (
	"flag"
	"fmt"
	"os"
)

const usage = `usage: tune build -algo NAME -key BITS [-value BYTES] -set PARAM=V,V… [-set …] -o DIR
       tune table [-take VARIANT] DIR RESULTS
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tune:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("a command is missing\n%s", usage)
	}
	switch args[0] {
	case "build":
		return buildCommand(args[1:], os.Stdout)
	case "table":
		return tableCommand(args[1:], os.Stdout)
	}
	return fmt.Errorf("unknown command %q\n%s", args[0], usage)
}

// interspersed parses flags before, between and behind the arguments, which it
// returns.
func interspersed(f *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		if args = f.Args(); len(args) == 0 {
			return rest, nil
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}
