package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// measure is one of the two clocks.
type measure struct {
	id, name string
	short    string
	of       func(cell) *stat.Summary
}

// measures: a host sort has no transfers, so that its one time stands in both.
var measures = []measure{
	{"kernel", "kernel time (data on the device)", "sort alone", func(c cell) *stat.Summary { return c.Judged() }},
	{"end-to-end", "end to end (data in host memory)", "end to end", func(c cell) *stat.Summary { return c.Wall }},
}

// throughput is rate over size, the two clocks apart on the same axes.
func throughput(d *data) section {
	s := section{
		ID: "throughput", Title: "Throughput over size",
		Lead:    "Million items sorted per second over the number of items, both axes logarithmic. Bands are 95 % confidence intervals of the median. Of each pair of charts, on the same axes, the first shows the sort alone, with its data in device memory; the second includes transfers from and to host memory. A host sort has no transfers and stands in both.",
		Missing: "gpusort bench -a 'Algo=[cpu,merge-path,radix-4way]' -a 'Elements[pow2]=[10:20:2]' -d all --timeout 1s --json sizes.jsonl",
	}
	order, groups := group(d.ok, func(k kind) kind { k.Items = 0; return k })
	for _, k := range order {
		cells := best(groups[k], func(c cell) uint64 { return c.Items })
		if len(distinct(cells, func(c cell) uint64 { return c.Items })) < 2 {
			continue
		}
		yr, xr := rateRange(cells), sizeRange(cells)
		for _, m := range measures {
			f := k.figure("throughput", m.id)
			c := plot.Lines{
				Title: fmt.Sprintf("%s: %s", k, m.name), XLabel: "number of items", YLabel: "million items per second",
				XLog: true, XPow2: true, YLog: true, XRange: xr, YRange: yr, W: 560, H: 350,
			}
			for _, name := range distinct(cells, func(c cell) string { return c.series }) {
				line := plot.Line{Name: name, Style: d.style[name]}
				for _, x := range cells {
					if sum := m.of(x); x.series == name && sum != nil && sum.Median > 0 {
						p := rates(x, sum)
						p.X = float64(x.Items)
						line.Points = append(line.Points, p)
					}
				}
				c.Series = append(c.Series, line)
			}
			f.draw(c)
			s.Figures = append(s.Figures, f)
		}
	}
	if len(s.Figures) > 0 && !slices.ContainsFunc(d.ok, func(c cell) bool { return c.Backend == "cpu" }) {
		s.Note = "No host sort is in these results: add -d cpu, so that the processor is there to compare with."
	}
	return s
}

// rateRange spans both clocks, so that the two charts compare by eye.
func rateRange(cells []cell) [2]float64 {
	lo, hi := math.Inf(1), 0.0
	for _, c := range cells {
		for _, m := range measures {
			if s := m.of(c); s != nil && s.Lo > 0 {
				lo, hi = min(lo, c.Rate(s.Hi)/1e6), max(hi, c.Rate(s.Lo)/1e6)
			}
		}
	}
	return [2]float64{lo / 1.25, hi * 1.25}
}

// sizeRange spans all sizes of both clocks.
func sizeRange(cells []cell) [2]float64 {
	lo, hi := cells[0].Items, cells[0].Items
	for _, c := range cells {
		lo, hi = min(lo, c.Items), max(hi, c.Items)
	}
	return [2]float64{float64(lo), float64(hi)}
}
