package report

import (
	"fmt"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/stat"
	"github.com/gpusort/gpusort/internal/key"
)

// more are figures that the page leaves out, because they show again what its
// charts show: times and bandwidths as papers print them, and a sort's launch
// geometries, greatest keys and machines as lines over size.
func more(d *data) (out []Figure) {
	order, groups := group(d.ok, func(k kind) kind { k.Items = 0; return k })
	for _, k := range order {
		cells := best(groups[k], func(c cell) uint64 { return c.Items })
		for _, m := range measures {
			out = add(out, k.figure("time", m.id), overSize(k.String()+": "+m.name, "milliseconds", cells, milliseconds(m), bySeries, d.style))
			out = add(out, k.figure("bandwidth", m.id), overSize(k.String()+": "+m.name, "GB of input per second", cells, gigabytes(m), bySeries, d.style))
		}
		for _, series := range distinct(groups[k], bySeries) {
			var own []cell
			for _, c := range groups[k] {
				if c.series == series {
					own = append(own, c)
				}
			}
			if len(distinct(own, byGeometry)) > 1 {
				out = add(out, k.figure("geometries", series), overSize(series+", "+k.String(), "milliseconds", own, milliseconds(measures[0]), byGeometry, nil))
			}
		}
	}
	// The greatest key is constant in a kind: here it varies.
	order, groups = group(d.ok, func(k kind) kind { k.Items, k.MaxValue = 0, 0; return k })
	for _, k := range order {
		for _, series := range distinct(groups[k], bySeries) {
			var own []cell
			for _, c := range groups[k] {
				if c.series == series {
					own = append(own, c)
				}
			}
			limit := func(c cell) string { return fmt.Sprintf("keys ≤ %d%s", c.MaxValue, geometryOf(c.Cell)) }
			if len(distinct(own, func(c cell) uint64 { return c.MaxValue })) > 1 {
				out = add(out, k.figure("max-value", series), overSize(series+", "+k.String(), "milliseconds", own, milliseconds(measures[0]), limit, nil))
			}
		}
	}
	return out
}

func bySeries(c cell) string { return c.series }

func byGeometry(c cell) string {
	if g := geometryOf(c.Cell); g != "" {
		return g[1:]
	}
	return "own choice"
}

// add appends a figure whose chart has at least two sizes.
func add(out []Figure, f Figure, c plot.Lines) []Figure {
	seen := map[float64]bool{}
	for _, s := range c.Series {
		for _, p := range s.Points {
			seen[p.X] = true
		}
	}
	if len(seen) < 2 {
		return out
	}
	f.draw(c)
	return append(out, f)
}

// overSize draws a value of cells over their sizes, a line for each name.
func overSize(title, unit string, cells []cell, value func(cell) (plot.XY, bool), name func(cell) string, style map[string]int) plot.Lines {
	l := plot.Lines{Title: title, XLabel: "number of items", YLabel: unit, XLog: true, XPow2: true, YLog: true, W: 640, H: 400}
	for i, n := range distinct(cells, name) {
		line := plot.Line{Name: n, Style: i}
		if style != nil {
			line.Style = style[n]
		}
		for _, c := range cells {
			if p, ok := value(c); ok && name(c) == n {
				p.X = float64(c.Items)
				line.Points = append(line.Points, p)
			}
		}
		l.Series = append(l.Series, line)
	}
	return l
}

// milliseconds are a cell's time by one clock.
func milliseconds(m measure) func(cell) (plot.XY, bool) {
	return func(c cell) (plot.XY, bool) {
		return scaled(c, m.of(c), func(ns float64) float64 { return ns / 1e6 })
	}
}

// gigabytes are the input's bytes over a cell's time: keys and values once.
func gigabytes(m measure) func(cell) (plot.XY, bool) {
	return func(c cell) (plot.XY, bool) {
		width := float64(c.ValueBytes)
		if c.Mode == "argsort" {
			width = 0 // indices are no input
		}
		t, err := key.Parse(c.KeyType)
		if err != nil {
			return plot.XY{}, false
		}
		width += float64(t.Bytes())
		return scaled(c, m.of(c), func(ns float64) float64 { return float64(c.Items) * width / ns })
	}
}

func scaled(c cell, s *stat.Summary, f func(float64) float64) (plot.XY, bool) {
	if s == nil || s.Median <= 0 || s.Lo <= 0 {
		return plot.XY{}, false
	}
	a, b := f(s.Lo), f(s.Hi)
	return plot.XY{Y: f(s.Median), Lo: min(a, b), Hi: max(a, b), Tip: fmt.Sprintf("%s, n = %s: %s", c.series, count(c.Items), plot.Short(f(s.Median)))}, true
}
