// Command size measures what an importer and a user of this checkout pay for, as if
// it were tagged and fetched through a module proxy: what the module zip, the
// dependencies and the programs weigh. It exits 1 past a bound.
package main

import (
	"flag"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/gpusort/gpusort/tools/internal/modproxy"
)

func main() {
	repo := flag.String("root", "..", "root of the repository")
	flag.Parse()
	ok, err := run(*repo)
	if err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(repo string) (bool, error) {
	dir, err := os.MkdirTemp("", "gpusort-size-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	p, err := modproxy.New(repo, dir)
	if err != nil {
		return false, err
	}
	rows, err := measure(repo, p)
	return print(rows), err
}

// row is one measured line.
type row struct {
	what            string
	measured, bound int64
	unit            string // "MB" (10^6 bytes) or a plural; measured and bound are in bytes or its count
	skipped         string // why nothing was measured
}

func (r row) ok() bool { return r.skipped != "" || r.measured <= r.bound }

// value formats a number of the row's unit.
func (r row) value(v int64) string {
	if r.unit == "MB" {
		return fmt.Sprintf("%.2f MB", float64(v)/1e6)
	}
	return fmt.Sprintf("%d %s", v, r.unit)
}

// print writes the table and reports whether every row is within its bound.
func print(rows []row) bool {
	all := true
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tmeasured\tbound\tok")
	for _, r := range rows {
		switch {
		case r.skipped != "":
			fmt.Fprintf(w, "%s\tSKIPPED: %s\t%s\t-\n", r.what, r.skipped, r.value(r.bound))
		case r.ok():
			fmt.Fprintf(w, "%s\t%s\t%s\tyes\n", r.what, r.value(r.measured), r.value(r.bound))
		default:
			fmt.Fprintf(w, "%s\t%s\t%s\tNO\n", r.what, r.value(r.measured), r.value(r.bound))
			all = false
		}
	}
	w.Flush()
	return all
}
