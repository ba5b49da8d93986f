package report

import (
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/plot"
)

// spanishFigures are the two charts of report 002: its merge sort, Thrust and
// std::sort over 256 … 65,536 values, transfers included.
func spanishFigures() []paper {
	chart := func(title, withThrust, unit string, value func(cell) (plot.XY, bool)) func(*data) plot.Chart {
		return func(d *data) plot.Chart {
			cells := where(d.pick(spanishSorts(d)...), func(c cell) bool { return c.Items >= 256 && c.Items <= 65536 })
			name := title
			if slices.ContainsFunc(cells, func(c cell) bool { return strings.HasPrefix(c.Algo, "thrust") }) {
				name = withThrust
			}
			return d.ladder(name, unit, best(cells, func(c cell) uint64 { return c.Items }), value)
		}
	}
	return []paper{
		{"spanish", "spanish-1-milliseconds", "As the report measured: transfers to and from the device included.", chart("Time by size, transfers included", "Comparison with Thrust, transfers included", "milliseconds", milliseconds(measures[1]))},
		{"spanish", "spanish-2-bandwidth", "Bytes of the input over the time with transfers.", chart("Input processed by size, transfers included", "Input processed by size, transfers included", "GB of input per second", gigabytes(measures[1]))},
	}
}

// spanishSorts are the report's sorts and what stands for the library: its choice,
// where that was measured, else its radix sorts.
func spanishSorts(d *data) []string {
	sorts := []string{"merge-separators", "merge-path", "thrust", "cub-merge", "std-sort"}
	if slices.ContainsFunc(d.ok, func(c cell) bool { return c.Algo == "auto" }) {
		return append(sorts, "auto")
	}
	return append(sorts, "onesweep", "radix-msd", "radix-lsd", "cpu", "cpu-radix")
}

// The rungs of report 003, and what report 004 compares.
var (
	rungs   = []string{"bitonic-naive", "bitonic-div", "bitonic-pairs", "bitonic-presort", "bitonic-shared-step", "bitonic-shared", "bitonic"}
	onHost  = []string{"bitonic-recursive", "bitonic-iter0", "bitonic-iter1", "bitonic-iter2", "bitonic-iter3"}
	kernels = []string{"bitonic-naive", "bitonic-div", "bitonic-pairs", "bitonic-shared"}
)

// englishFigures show report 003's ladder: its rate, and the launches that its
// last steps save (300 to 115 there).
func englishFigures() []paper {
	launches := func(c cell) (plot.XY, bool) {
		v := float64(c.Launches)
		return plot.XY{Y: v, Lo: v, Hi: v}, c.Launches > 0
	}
	rate := func(c cell) (plot.XY, bool) {
		p := rates(c, c.Judged())
		return p, p.Y > 0
	}
	of := func(title, unit string, value func(cell) (plot.XY, bool)) func(*data) plot.Chart {
		return func(d *data) plot.Chart {
			return d.ladder(title, unit, best(d.pick(rungs...), func(c cell) uint64 { return c.Items }), value)
		}
	}
	return []paper{
		{"english", "english-1-ladder", "Each rung is one optimisation more.", of("Bitonic sort, rung by rung: kernel time", "million items per second", rate)},
		{"english", "english-2-launches", "Kernel launches of one sort.", of("Launches by rung", "launches", launches)},
	}
}

// russianFigures are report 004's comparisons: one version more each time.
func russianFigures() []paper {
	host := func(k int) func(*data) plot.Chart {
		return func(d *data) plot.Chart {
			return d.against("Bitonic sort on the processor", where(d.pick(onHost[:k]...), func(c cell) bool { return c.Backend == "cpu" }))
		}
	}
	device := func(k int) func(*data) plot.Chart {
		return func(d *data) plot.Chart {
			return d.against("Bitonic kernels", where(d.pick(kernels[:k]...), func(c cell) bool { return c.Backend != "cpu" }))
		}
	}
	return []paper{
		{"russian", "russian-1-recursive-and-iter0", "The plain loop with its test of every partner against recursion.", host(2)},
		{"russian", "russian-2-with-iter1", "Two loops that visit each pair once.", host(3)},
		{"russian", "russian-3-with-iter2", "One loop, with a division.", host(4)},
		{"russian", "russian-4-with-iter3", "One loop, with shifts.", host(5)},
		{"russian", "russian-5-naive-kernels", "The three kernels without local memory: naive, with division (better), with shifts (best).", device(3)},
		{"russian", "russian-6-with-local-memory", "All steps of a stage that fit run in local memory.", device(4)},
	}
}

// ladder is one chart of cells over size, a line for each series.
func (d *data) ladder(title, unit string, cells []cell, value func(cell) (plot.XY, bool)) plot.Chart {
	if !enough(cells) {
		return nil
	}
	l := overSize(title, unit, cells, value, bySeries, styles(keysOf(cells, bySeries)))
	l.W, l.H = 820, 460
	return l
}

// against has two charts for each device: the time, and the time over that of
// the first series, in which factors show that a logarithmic axis hides.
func (d *data) against(title string, cells []cell) plot.Chart {
	cells = best(cells, func(c cell) uint64 { return c.Items })
	name := func(c cell) string { return c.Algo }
	legend := keysOf(cells, name)
	if len(legend) < 2 {
		return nil
	}
	g := plot.Sheet{Title: title, Cols: 2, Legend: legend}
	first := legend[0].Name
	var charts, ratios []plot.Lines
	most := 0.0
	for _, card := range distinct(cells, d.card) {
		own := where(cells, func(c cell) bool { return d.card(c) == card })
		if !enough(own) {
			continue
		}
		over := func(c cell) (plot.XY, bool) {
			i := slices.IndexFunc(own, func(x cell) bool { return x.Algo == first && x.Items == c.Items })
			if i < 0 {
				return plot.XY{}, false
			}
			base := own[i].Judged().Median
			return scaled(c, c.Judged(), func(ns float64) float64 { return ns / base })
		}
		charts = append(charts, facet(card+": time", "milliseconds", own, milliseconds(measures[0]), name, legend))
		// A noisy cell's interval must not flatten the others: it is cut, and marked.
		top := 0.0
		for _, c := range own {
			if p, ok := over(c); ok {
				top = max(top, 1.2*p.Y)
			}
		}
		l := overSize(card+": time over "+first+"'s", "× "+first, own, over, name, styles(legend))
		l.YLog, l.Bare, l.W, l.H = false, true, 380, 260
		ratios = append(ratios, l)
		most = max(most, top)
	}
	left, right := shared(charts), []*plot.Figure(nil)
	for _, l := range ratios {
		l.XRange, _ = plot.RangesOf(charts)
		l.YRange = [2]float64{0, most}
		right = append(right, l.Draw())
	}
	for i := range left {
		g.Figures = append(g.Figures, left[i], right[i])
	}
	return drawn(g)
}
