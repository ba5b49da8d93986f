package grid

import (
	"cmp"
	"slices"

	"github.com/gpusort/gpusort/internal/lab/stat"
)

// MaxCliff is how much longer than a uniform key any other may take.
const MaxCliff = 1.6

// sum fills in the parts and the losses.
func (p *Page) sum() {
	part := func(name string, keep func(Cell) bool) {
		s := Summary{Part: name}
		var ratios []float64
		for _, c := range p.Cells {
			if c.Peer == "" || !keep(c) {
				continue
			}
			ratios = append(ratios, c.Ratio)
			if c.Loss() {
				s.Losses++
			}
			if s.Matched == 0 || c.Ratio < s.Worst.Ratio {
				s.Worst = c
			}
			if s.Matched == 0 || c.Ratio > s.Best.Ratio {
				s.Best = c
			}
			s.Matched++
		}
		s.GeoMean = stat.GeoMean(ratios)
		if s.Matched > 0 {
			p.Parts = append(p.Parts, s)
		}
	}
	part("whole grid", func(Cell) bool { return true })
	if len(p.Parts) == 0 {
		return
	}
	whole := p.Parts[0].Matched
	part("powers of two", func(c Cell) bool { return powerOfTwo(c.Items) })
	part("other sizes", func(c Cell) bool { return !powerOfTwo(c.Items) })
	if p.Parts[1].Matched == whole {
		p.Parts = p.Parts[:1]
	}
	for _, f := range p.forms() {
		part(f.String(), func(c Cell) bool { return c.form == f })
	}
	for _, c := range p.Cells {
		if c.Loss() {
			p.Losses = append(p.Losses, c)
		}
	}
	slices.SortStableFunc(p.Losses, func(a, b Cell) int { return cmp.Compare(a.Ratio, b.Ratio) })
}

// forms are those of all cells, in the tables' order.
func (p *Page) forms() (out []form) {
	for _, c := range p.Cells {
		if len(out) == 0 || out[len(out)-1] != c.form {
			out = append(out, c.form)
		}
	}
	return out
}

// climb compares each measured cell with the uniform one of its form and size.
// Both have the same number of keys, so the times' ratio is that of time per key.
func (p *Page) climb() {
	type level struct {
		form  form
		items uint64
	}
	uniform := map[level]Cell{}
	for _, c := range p.Cells {
		if c.Input == "uniform" && c.NS > 0 {
			uniform[level{c.form, c.Items}] = c
		}
	}
	top := map[level]int{}
	for _, c := range p.Cells {
		at := level{c.form, c.Items}
		u, ok := uniform[at]
		if !ok || c.NS <= 0 || c.Input == "uniform" {
			continue
		}
		x := Cliff{Form: c.Form, Input: c.Input, Items: c.Items, Chosen: c.Chosen, NS: c.NS, Uniform: u.NS, Ratio: c.NS / u.NS}
		if x.Ratio > MaxCliff {
			p.Cliffs = append(p.Cliffs, x)
		}
		i, ok := top[at]
		switch {
		case !ok:
			top[at] = len(p.Steepest)
			p.Steepest = append(p.Steepest, x)
		case x.Ratio > p.Steepest[i].Ratio:
			p.Steepest[i] = x
		}
	}
	for _, list := range [][]Cliff{p.Cliffs, p.Steepest} {
		slices.SortStableFunc(list, func(a, b Cliff) int { return cmp.Compare(b.Ratio, a.Ratio) })
	}
}
