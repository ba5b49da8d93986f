package report

import (
	"fmt"
	"slices"
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
	sizes := distinct(where(d.ok, func(c cell) bool { return c.Several() }), func(c cell) uint64 { return c.Items })
	slices.Sort(sizes)
	for _, m := range measures {
		h := plot.Heat{Title: "Rate of several devices over one: " + m.name, Unit: "times", ColLabel: "number of items"}
		for _, n := range sizes {
			h.Cols = append(h.Cols, count(n))
		}
		known := false
		for _, k := range order {
			cells := best(groups[k], func(c cell) uint64 { return c.Items })
			for _, series := range distinct(where(cells, func(c cell) bool { return c.Several() }), bySeries) {
				var row []plot.HeatCell
				for _, n := range sizes {
					c, ok := overOne(cells, series, n, m)
					row, known = append(row, c), known || ok
				}
				h.Rows, h.Cells = append(h.Rows, series+", "+k.String()), append(h.Cells, row)
			}
		}
		if known {
			f := Figure{ID: "several-" + m.id, Wide: true}
			f.draw(h)
			s.Figures = append(s.Figures, f)
		}
	}
	return s
}

// overOne is the field of a series of several devices: its rate over that of the fastest
// sort on one device of its backend.
func overOne(cells []cell, series string, n uint64, m measure) (plot.HeatCell, bool) {
	var all, one *cell
	for i, c := range cells {
		if sum := m.of(c); c.Items == n && c.series == series && sum != nil && sum.Median > 0 {
			all = &cells[i]
		}
	}
	for i, c := range cells {
		sum := m.of(c)
		if all == nil || c.Items != n || c.Several() || c.Backend != all.Backend || sum == nil || sum.Median <= 0 {
			continue
		}
		if one == nil || sum.Median < m.of(*one).Median {
			one = &cells[i]
		}
	}
	if one == nil {
		return plot.HeatCell{Text: "–", Tip: series + ", n = " + count(n) + ": not measured beside one device"}, false
	}
	a, b := m.of(*all), m.of(*one)
	text := ratio(b.Median/a.Median) + "×"
	if overlap(a, b) {
		text = "≈ " + text
	}
	return plot.HeatCell{Value: b.Median / a.Median, Text: text, Series: series,
		Tip: fmt.Sprintf("n = %s: %s %s, %s %s\n%s", count(n), series, result.Duration(a.Median), one.series, result.Duration(b.Median), sharesOf(*all))}, true
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
