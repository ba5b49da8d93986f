package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/plot"
)

// paper is one figure of a report that an experiment repeats.
type paper struct {
	// experiment is the file's name, and with no the beginning of the figure's ID.
	experiment string
	id         string // "greek-4-radix"
	caption    string
	draw       func(*data) plot.Chart // nil without data for it
}

// repeated lists the reports' figures in their order.
func repeated() []paper {
	return slices.Concat(greekFigures(), spanishFigures(), englishFigures(), russianFigures())
}

// papers is the section with the figures of the report that an experiment of
// these results repeats. Without such results there is none.
func papers(d *data) section {
	s := section{ID: "report", Title: "As in the report", Lead: "The figures of the report that this experiment repeats, made from these results."}
	for _, p := range repeated() {
		if slices.ContainsFunc(d.ok, func(c cell) bool { return c.Experiment == p.experiment }) {
			s.Figures = append(s.Figures, p.figure(d)...)
		}
	}
	return s
}

func (p paper) figure(d *data) []Figure {
	c := p.draw(d)
	if c == nil {
		return nil
	}
	f := Figure{ID: p.id, Caption: p.caption, Wide: true}
	f.draw(c)
	return []Figure{f}
}

// otherPapers are figures of reports that the page leaves out, because the
// results do not come from the report's experiment.
func otherPapers(d *data, have []Figure) (out []Figure) {
	for _, p := range repeated() {
		if !slices.ContainsFunc(have, func(f Figure) bool { return f.ID == p.id }) {
			out = append(out, p.figure(d)...)
		}
	}
	return out
}

// pick returns the measured cells of these algorithms, uniform and ascending,
// with keys alone of the type that most of them have, in the order of the names.
func (d *data) pick(algos ...string) (out []cell) {
	byType := map[string]int{}
	top := ""
	fits := func(c cell) bool {
		return slices.Contains(algos, c.Algo) && c.Mode == "keys" && kindOf(c.Cell).Dist == "uniform" && !c.Desc
	}
	for _, c := range d.ok {
		if fits(c) {
			if byType[c.KeyType]++; byType[c.KeyType] > byType[top] {
				top = c.KeyType
			}
		}
	}
	for _, c := range d.ok {
		if fits(c) && c.KeyType == top {
			out = append(out, c)
		}
	}
	// Cells end in any order; figures keep the report's.
	slices.SortStableFunc(out, func(a, b cell) int {
		return cmp.Or(cmp.Compare(slices.Index(algos, a.Algo), slices.Index(algos, b.Algo)), cmp.Compare(a.Items, b.Items))
	})
	return out
}

func where(cells []cell, keep func(cell) bool) (out []cell) {
	for _, c := range cells {
		if keep(c) {
			out = append(out, c)
		}
	}
	return out
}

// card names what a cell ran on.
func (d *data) card(c cell) string {
	_, rest, _ := strings.Cut(c.series, " · ")
	return rest
}

// facet is one small chart of a sheet: cells over size, a line for each name, in
// the styles that a legend shows.
func facet(title, unit string, cells []cell, value func(cell) (plot.XY, bool), name func(cell) string, legend []plot.Key) plot.Lines {
	l := overSize(title, unit, cells, value, name, styles(legend))
	l.Bare, l.W, l.H = true, 380, 260
	return l
}

// shared draws charts on the same axes, so that they compare by eye.
func shared(charts []plot.Lines) (out []*plot.Figure) {
	x, y := plot.RangesOf(charts)
	for _, c := range charts {
		c.XRange, c.YRange = x, y
		out = append(out, c.Draw())
	}
	return out
}

func styles(legend []plot.Key) map[string]int {
	style := map[string]int{}
	for _, k := range legend {
		style[k.Name] = k.Style
	}
	return style
}

// enough says whether cells have at least two sizes.
func enough(cells []cell) bool {
	return len(distinct(cells, func(c cell) uint64 { return c.Items })) > 1
}

// keysOf makes a legend of names in order of appearance.
func keysOf(cells []cell, name func(cell) string) (out []plot.Key) {
	for i, n := range distinct(cells, name) {
		out = append(out, plot.Key{Name: n, Style: i})
	}
	return out
}

// layout names a cell's geometry.
func layout(c cell) string {
	if c.Threads == 0 && c.Blocks == 0 {
		return "own choice"
	}
	return strings.TrimSpace(geometryOf(c.Cell))
}

// layouts is the legend of launch geometries: colour by threads, dash by blocks.
func layouts(cells []cell) (out []plot.Key) {
	var threads, blocks []uint32
	for _, c := range cells {
		if layout(c) != "own choice" {
			threads, blocks = append(threads, c.Threads), append(blocks, c.Blocks)
		}
	}
	slices.Sort(threads)
	slices.Sort(blocks)
	threads, blocks = slices.Compact(threads), slices.Compact(blocks)
	sorted := slices.Clone(cells)
	slices.SortStableFunc(sorted, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.Threads, b.Threads), cmp.Compare(a.Blocks, b.Blocks))
	})
	for _, c := range sorted {
		k := plot.Key{Name: layout(c), Style: 7}
		if k.Name != "own choice" {
			k.Style = slices.Index(threads, c.Threads)%7 + 8*slices.Index(blocks, c.Blocks)
		}
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}
