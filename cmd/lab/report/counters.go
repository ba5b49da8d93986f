package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/ncu"
	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// counterTable is what hardware counters say.
type counterTable struct {
	Title string
	Head  []string
	Rows  [][]string // the first column names the row
	Note  string
}

// counters are the tables of profiles: Nsight Compute's by kernel for each CUDA
// sort, perf's for all host sorts of one input beside each other. Where the
// tools told nothing a line says why.
func counters(d *data) (tables []counterTable, missing []string) {
	type host struct {
		kind  kind
		table counterTable
	}
	var hosts []host
	for _, p := range d.Profiles {
		if p.NoCounters != "" && !slices.Contains(missing, p.NoCounters) {
			missing = append(missing, p.NoCounters)
		}
		k := kindOf(p.Cell)
		if len(p.Kernels) > 0 {
			tables = append(tables, kernelTable(d.seriesOf(p.Cell, p.Env)+geometryOf(p.Cell)+", "+k.String(), p.Kernels))
		}
		if len(p.Counters) == 0 {
			continue
		}
		i := slices.IndexFunc(hosts, func(h host) bool { return h.kind == k })
		if i < 0 {
			i = len(hosts)
			hosts = append(hosts, host{k, counterTable{Title: "perf stat, per element: " + k.String(), Head: []string{"sort", "time"}}})
			for _, c := range p.Counters {
				hosts[i].table.Head = append(hosts[i].table.Head, c.Event)
			}
		}
		row := []string{d.seriesOf(p.Cell, p.Env), result.Duration(float64(p.NS))}
		var absent []string
		for _, c := range p.Counters {
			per := c.Value / float64(max(p.Cell.Items, 1))
			switch {
			case c.Missing != "":
				row = append(row, "–")
				absent = append(absent, c.Event)
			case c.Event == "task-clock": // milliseconds
				row = append(row, plot.Short(1e6*per)+" ns")
			default:
				row = append(row, plot.Short(per))
			}
		}
		hosts[i].table.Rows = append(hosts[i].table.Rows, row)
		if absent != nil {
			hosts[i].table.Note = "This processor, or its virtual machine, does not count " + strings.Join(absent, ", ") + "."
		}
	}
	for _, h := range hosts {
		tables = append(tables, h.table)
	}
	return tables, missing
}

func kernelTable(title string, kernels []ncu.Kernel) counterTable {
	t := counterTable{Title: "Nsight Compute: " + title, Head: []string{"kernel", "launches"}}
	for _, m := range ncu.Metrics {
		t.Head = append(t.Head, m.Short)
	}
	for _, k := range kernels {
		row := []string{k.Name, fmt.Sprint(k.Launches)}
		for _, m := range ncu.Metrics {
			if v, ok := k.Values[m.Name]; ok {
				row = append(row, plot.Short(v))
			} else {
				row = append(row, "–")
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
