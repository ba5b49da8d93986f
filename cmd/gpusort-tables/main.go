// Command gpusort-tables is gpusort with the libraries for Parquet and Arrow files.
// gpusort starts it in its own place for those, so that it starts fast itself.
package main

import (
	"os"

	"github.com/gpusort/gpusort/cmd/internal/cli"
	"github.com/gpusort/gpusort/cmd/internal/table"
)

func main() {
	cli.OpenTables, cli.NewColumns = table.OpenColumns, table.NewColumns
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
