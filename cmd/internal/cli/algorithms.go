package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/internal/algo/catalog"
)

// algorithmRow is an algorithm as the list shows it.
type algorithmRow struct {
	Name string   `json:"name"`
	On   []string `json:"on"`
	// Auto says that a sort that names none may get it on a device; the others are
	// for study.
	Auto bool   `json:"auto"`
	Doc  string `json:"doc"`
}

// algorithmRows lists every algorithm once, those that auto may choose first.
func algorithmRows() (rows []algorithmRow) {
	for _, a := range catalog.Algorithms() {
		rows = append(rows, algorithmRow{a.Name, slices.Clone(a.Backends), !a.Study, a.Doc})
	}
	for i, h := range catalog.Hosts() {
		at := slices.IndexFunc(rows, func(r algorithmRow) bool { return r.Name == h.Name })
		if at < 0 {
			rows = append(rows, algorithmRow{h.Name, nil, i == 0, h.Doc})
			at = len(rows) - 1
		}
		rows[at].On = append(rows[at].On, "cpu")
	}
	slices.SortStableFunc(rows, func(a, b algorithmRow) int {
		switch {
		case a.Auto == b.Auto:
			return 0
		case a.Auto:
			return -1
		}
		return 1
	})
	return rows
}

func (a *app) algorithmsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "algorithms [flags]",
		Short:   "List the algorithms that --algo takes",
		Long:    "List the algorithms that --algo and 'gpusort run' take, and where they run. Without\n--algo, auto chooses among those marked auto; the others are there to be studied.",
		Example: "  gpusort algorithms\n  gpusort algorithms --json",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			rows := algorithmRows()
			if asJSON {
				return printJSON(a.out, rows)
			}
			t := a.newTable(table.Row{"Algorithm", "On", "Chosen", "What it is"})
			for _, r := range rows {
				chosen := ""
				if r.Auto {
					chosen = "auto"
				}
				t.AppendRow(table.Row{r.Name, strings.Join(r.On, " "), chosen, r.Doc})
			}
			t.Render()
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// algoHint is what help says of algorithms: their names would fill the screen.
const algoHint = "such as onesweep, radix-lsd or cpu; 'gpusort algorithms' lists all"

// unknownAlgorithm is the error of a name that no algorithm of a kind has.
func unknownAlgorithm(kind, name string) error {
	return fmt.Errorf("unknown %s %q: give one %s", kind, name, algoHint)
}

// checkAlgo is the error of an algorithm that there is not, or not on the device: an
// ID, or auto or all. No name is right everywhere.
func checkAlgo(name, device string) error {
	var on []string
	hint := "'gpusort algorithms' lists what runs where"
	if a, err := catalog.Algorithm(name); err == nil {
		on, hint = a.Backends, cmp.Or(a.Instead, hint)
	}
	if _, err := catalog.HostAlgorithm(name); err == nil {
		on = append(slices.Clone(on), "cpu")
	}
	backend, _, _ := strings.Cut(strings.ToLower(device), ":")
	switch {
	case name == "" || slices.Contains(on, backend):
		return nil
	case len(on) == 0:
		return unknownAlgorithm("algorithm", name)
	case slices.Contains([]string{"cuda", "opencl", "cpu"}, backend):
		return fmt.Errorf("%s runs on %s, not on %s: %s", name, strings.Join(on, " and "), device, hint)
	}
	return nil
}
