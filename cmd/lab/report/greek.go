package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/plot"
)

// The algorithms of report 001, ours in the place of its own.
var (
	greekRadix    = []string{"radix-host-scatter"}
	greekCounting = []string{"counting"}
	greekBitonic  = []string{"bitonic-grid"}
	greekAll      = slices.Concat(greekRadix, greekCounting, greekBitonic)
)

// greekFigures are the six of report 001: kernel time over size, launch
// geometry, card and greatest key.
func greekFigures() []paper {
	of := func(algos []string) func(*data) plot.Chart {
		return func(d *data) plot.Chart { return d.byLayout(algos, false) }
	}
	return []paper{
		{"greek", "greek-1-algorithms-by-layout", "One chart for each blocks × threads; the lines are the algorithms on every card.", greekByLayout},
		{"greek", "greek-2-layouts-by-algorithm", "One chart for each algorithm and card; the lines are the layouts: colour tells threads, dashes tell blocks.", of(greekAll)},
		{"greek", "greek-3-influence-of-layout", "Time at the greatest size over the number of threads in the whole grid; one point is one layout.", greekInfluence},
		{"greek", "greek-4-radix", "Radix sort with its scatter on the host.", of(greekRadix)},
		{"greek", "greek-5-counting", "Counting sort by greatest key.", func(d *data) plot.Chart { return d.byLayout(greekCounting, true) }},
		{"greek", "greek-6-bitonic", "Bitonic sort.", of(greekBitonic)},
	}
}

// smallestMax keeps, of cells that differ in their greatest key, those with the
// least one.
func smallestMax(cells []cell) []cell {
	least := map[string]uint64{}
	for _, c := range cells {
		if v, ok := least[c.Algo]; !ok || c.MaxValue < v {
			least[c.Algo] = c.MaxValue
		}
	}
	return where(cells, func(c cell) bool { return c.MaxValue == least[c.Algo] })
}

// greekByLayout has a chart for each layout.
func greekByLayout(d *data) plot.Chart {
	cells := smallestMax(d.pick(greekAll...))
	legend := keysOf(cells, bySeries)
	g := plot.Sheet{Title: "Time by layout, algorithm and card", Cols: 3, Legend: legend}
	var charts []plot.Lines
	for _, k := range layouts(cells) {
		own := where(cells, func(c cell) bool { return layout(c) == k.Name })
		if enough(own) {
			charts = append(charts, facet(k.Name, "milliseconds", own, milliseconds(measures[0]), bySeries, legend))
		}
	}
	g.Figures = shared(charts)
	return drawn(g)
}

// byLayout has a chart for each algorithm and card, and with apart for each
// greatest key.
func (d *data) byLayout(algos []string, apart bool) plot.Chart {
	cells := d.pick(algos...)
	if !apart {
		cells = smallestMax(cells)
	}
	legend := layouts(cells)
	g := plot.Sheet{Title: "Time by layout", Cols: 3, Legend: legend}
	var charts []plot.Lines
	type key struct {
		series string
		max    uint64
	}
	for _, k := range distinct(cells, func(c cell) key { return key{c.series, c.MaxValue} }) {
		own := where(cells, func(c cell) bool { return c.series == k.series && c.MaxValue == k.max })
		title := k.series
		if k.max != 0 {
			title += fmt.Sprintf(", keys ≤ %d", k.max)
		}
		if enough(own) {
			charts = append(charts, facet(title, "milliseconds", own, milliseconds(measures[0]), layout, legend))
		}
	}
	g.Figures = shared(charts)
	return drawn(g)
}

// greekInfluence sets the layouts of the greatest size side by side.
func greekInfluence(d *data) plot.Chart {
	cells := where(smallestMax(d.pick(greekAll...)), func(c cell) bool { return c.Threads != 0 && c.Blocks != 0 })
	legend := keysOf(cells, d.card)
	g := plot.Sheet{Title: "Influence of the layout", Cols: 3, Legend: legend}
	var charts []plot.Lines
	for _, algo := range distinct(cells, func(c cell) string { return c.Algo }) {
		own := where(cells, func(c cell) bool { return c.Algo == algo })
		top := slices.MaxFunc(own, func(a, b cell) int { return cmp.Compare(a.Items, b.Items) }).Items
		l := plot.Lines{
			Title: fmt.Sprintf("%s, n = %s", algo, count(top)), XLabel: "blocks × threads", YLabel: "milliseconds",
			XLog: true, XPow2: true, YLog: true, Bare: true, W: 380, H: 260,
		}
		for _, k := range legend {
			line := plot.Line{Name: k.Name, Style: k.Style, Loose: true}
			for _, c := range own {
				if p, ok := milliseconds(measures[0])(c); ok && c.Items == top && d.card(c) == k.Name {
					p.X = float64(c.Threads) * float64(c.Blocks)
					p.Tip += "\n" + layout(c)
					line.Points = append(line.Points, p)
				}
			}
			l.Series = append(l.Series, line)
		}
		charts = append(charts, l)
	}
	g.Figures = shared(charts)
	return drawn(g)
}

// drawn is the sheet, or nil where it has no charts.
func drawn(g plot.Sheet) plot.Chart {
	if len(g.Figures) == 0 {
		return nil
	}
	return g
}
