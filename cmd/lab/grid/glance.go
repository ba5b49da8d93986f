package grid

import (
	"fmt"
	"slices"
)

// glance is a table that shows one number for each form and size: forms down, in the
// order in which they were first set, sizes across.
type glance struct {
	forms []string
	sizes []uint64
	cells map[string]map[uint64]string
}

// set enters x for a form and a size, in bold if it stands out.
func (g *glance) set(form string, items uint64, x float64, out bool) {
	if g.cells == nil {
		g.cells = map[string]map[uint64]string{}
	}
	if g.cells[form] == nil {
		g.cells[form] = map[uint64]string{}
		g.forms = append(g.forms, form)
	}
	if !slices.Contains(g.sizes, items) {
		g.sizes = append(g.sizes, items)
	}
	text := fmt.Sprintf("%.2f", x)
	if out {
		text = bold(text)
	}
	g.cells[form][items] = text
}

// show adds the table to s, and before it what it shows.
func (g *glance) show(s *sheet, format string, args ...any) {
	if len(g.forms) == 0 {
		return
	}
	slices.Sort(g.sizes)
	rows := [][]string{{"form"}}
	for _, n := range g.sizes {
		rows[0] = append(rows[0], number(n))
	}
	for _, f := range g.forms {
		row := []string{f}
		for _, n := range g.sizes {
			row = append(row, g.cells[f][n])
		}
		rows = append(rows, row)
	}
	s.para(format, args...)
	s.table("lr", rows)
}

// ratios shows the parts of one form and one power of two.
func (p Page) ratios(s *sheet) {
	var g glance
	for _, f := range p.forms() {
		for _, c := range p.Cells {
			if c.form != f || !powerOfTwo(c.Items) || g.cells[f.String()][c.Items] != "" {
				continue
			}
			for _, x := range p.part("", func(o Cell) bool { return o.form == f && o.Items == c.Items }) {
				g.set(f.String(), c.Items, x.GeoMean, x.Losses > 0)
			}
		}
	}
	g.show(s, "The geometric mean over the inputs measured, by form and number of keys; bold: a loss among them.")
}

// slopes shows the steepest input of each form and size.
func (p Page) slopes(s *sheet) {
	var g glance
	for _, f := range p.forms() {
		for _, c := range p.Steepest {
			if c.Form == f.String() {
				g.set(c.Form, c.Items, c.Ratio, c.Ratio > MaxCliff)
			}
		}
	}
	g.show(s, "The time of the worst input over that of uniform keys, by form and number of keys; bold: more than %g.", MaxCliff)
}
