package report

import (
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// several sets devices that sort together beside the best of them alone.
func several(d *data) section {
	s := section{
		ID: "several", Title: "Several devices",
		Lead: "How many times as fast devices are that sort together as the best one alone, on the same input: 2 cards could reach 2. Brighter is more, on a logarithmic scale. With data on the devices, one device is timed by its own clock, and several by the host's, because none of them sees the others.",
	}
	order, groups := group(d.ok, func(k kind) kind { k.Items = 0; return k })
	together := func(c cell) bool { return c.Several() }
	for _, m := range measures {
		var rows []ratioRow
		for _, k := range order {
			cells := best(groups[k], func(c cell) uint64 { return c.Items })
			for _, series := range distinct(where(cells, together), bySeries) {
				rows = append(rows, ratioRow{series + ", " + k.String(), func(n uint64) (plot.HeatCell, bool) { return overOne(cells, series, n, m) }})
			}
		}
		s.Figures = addRatios(s.Figures, "several-"+m.id, "Rate of several devices over one: "+m.name, sizes(where(d.ok, together)), rows)
	}
	return s
}

// overOne is the field of a series of several devices: its rate over that of the fastest
// sort on one device of its backend.
func overOne(cells []cell, series string, n uint64, m measure) (plot.HeatCell, bool) {
	here := ranked(cells, n, m)
	all := where(here, func(c cell) bool { return c.series == series })
	one := where(here, func(c cell) bool { return !c.Several() && len(all) > 0 && c.Backend == all[0].Backend })
	if len(one) == 0 {
		return plot.HeatCell{Text: "–", Tip: series + ", n = " + count(n) + ": not measured beside one device"}, false
	}
	a, b := m.of(all[0]), m.of(one[0])
	return timesAsFast(a, b, series, fmt.Sprintf("n = %s: %s %s, %s %s\n%s", count(n), series, result.Duration(a.Median), one[0].series, result.Duration(b.Median), sharesOf(all[0]))), true
}

// sharesOf says what each of several devices has of a sort of host memory.
func sharesOf(c cell) string {
	if len(c.Shares) == 0 {
		return "host memory so short is sorted by one of them"
	}
	var parts []string
	for _, s := range c.Shares {
		parts = append(parts, fmt.Sprintf("%s %s", s.Device, count(s.Items)))
	}
	return "shares: " + strings.Join(parts, ", ")
}
