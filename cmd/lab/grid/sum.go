package grid

import (
	"cmp"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/compare"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// MaxCliff is how much longer than a uniform key any other may take.
const MaxCliff = compare.MaxCliff

// part sums up matched cells; without any it returns nothing.
func (p *Page) part(name string, keep func(Cell) bool) []Summary {
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
	if s.Matched == 0 {
		return nil
	}
	s.GeoMean = stat.GeoMean(ratios)
	return []Summary{s}
}

// sum fills in the parts and the losses.
func (p *Page) sum() {
	part := func(name string, keep func(Cell) bool) { p.Parts = append(p.Parts, p.part(name, keep)...) }
	part("whole grid", func(Cell) bool { return true })
	if len(p.Parts) == 0 {
		return
	}
	whole := p.Parts[0].Matched
	two := p.part("powers of two", func(c Cell) bool { return powerOfTwo(c.Items) })
	if len(two) > 0 && two[0].Matched < whole {
		p.Parts = append(p.Parts, two...)
		part("other sizes", func(c Cell) bool { return !powerOfTwo(c.Items) })
	}
	for _, f := range p.forms() {
		of := func(c Cell) bool { return c.form == f }
		part(f.String(), of)
		p.made(f.String(), of)
	}
	for _, c := range p.Cells {
		if c.Loss() {
			p.Losses = append(p.Losses, c)
		}
	}
	slices.SortStableFunc(p.Losses, func(a, b Cell) int { return cmp.Compare(a.Ratio, b.Ratio) })
}

// made adds the part of a form's Made ratios, as if they were the ratios, if
// they are not the ratios anyway.
func (p *Page) made(name string, keep func(Cell) bool) {
	var own Page
	other := false
	for _, c := range p.Cells {
		if keep(c) {
			other = other || c.PeerMode != ""
			if c.Made > 0 {
				c.Ratio = c.Made
				own.Cells = append(own.Cells, c)
			}
		}
	}
	if !other {
		return
	}
	p.Parts = append(p.Parts, own.part(name+", index made by the peer", func(Cell) bool { return true })...)
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

// rise finds the steps in size.
func (p *Page) rise() {
	type line struct {
		form  form
		input string
	}
	last := map[line]Cell{}
	top := map[form]Rise{}
	for _, c := range p.Cells { // in order of size
		if c.NS <= 0 || c.Items == 0 {
			continue
		}
		at := line{c.form, c.Input}
		a, ok := last[at]
		last[at] = c
		if !ok {
			continue
		}
		r := Rise{Form: c.Form, Input: c.Input, From: a.Items, To: c.Items, Chosen: a.Chosen, FromNS: a.NS, ToNS: c.NS,
			Ratio: c.NS / float64(c.Items) / (a.NS / float64(a.Items))}
		if c.Chosen != a.Chosen {
			r.Chosen += ", " + c.Chosen
		}
		if r.Ratio > max(1, top[c.form].Ratio) {
			top[c.form] = r
		}
	}
	for _, f := range p.forms() {
		if r, ok := top[f]; ok {
			p.Rises = append(p.Rises, r)
		}
	}
	slices.SortStableFunc(p.Rises, func(a, b Rise) int { return cmp.Compare(b.Ratio, a.Ratio) })
}

// base is a cell of uniform keys in one file.
type base struct {
	file int
	spot spot
}

// climb compares each measured cell with the uniform one of its form and size,
// if there is one in its own file. Both have the same number of keys, so the
// times' ratio is that of time per key.
func (p *Page) climb() {
	type level struct {
		form  form
		items uint64
	}
	shown := map[spot]float64{}
	for _, c := range p.Cells {
		if c.Input == "uniform" && c.NS > 0 {
			shown[c.spot] = c.NS
		}
	}
	top := map[level]int{}
	for _, c := range p.Cells {
		flat := c.spot
		flat.Dist = "uniform"
		uniform, ok := p.uniform[base{c.file, flat}]
		if !ok {
			uniform = shown[flat]
		}
		if uniform <= 0 || c.NS <= 0 || c.Input == "uniform" {
			continue
		}
		x := Cliff{Form: c.Form, Input: c.Input, Items: c.Items, Chosen: c.Chosen, NS: c.NS, Uniform: uniform, Ratio: c.NS / uniform}
		if x.Ratio > MaxCliff {
			p.Cliffs = append(p.Cliffs, x)
		}
		at := level{c.form, c.Items}
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
