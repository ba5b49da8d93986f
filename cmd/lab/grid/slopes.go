package grid

import "fmt"

// mostCliffs bounds the list of cliffs: the table before it has the worst of each form
// and size, the cells have all.
const mostCliffs = 40

func (p Page) cliffs(s *sheet) {
	s.head(2, "Cliffs")
	p.slopes(s)
	switch {
	case len(p.Steepest) == 0:
		s.para("Inputs: nothing to say, no form has uniform keys and another input at one size.")
	case len(p.Cliffs) == 0:
		s.para("No input takes more than %g × as long as uniform keys of the same form and size.", MaxCliff)
	default:
		listed := p.Cliffs[:min(len(p.Cliffs), mostCliffs)]
		which := "worst first"
		if more := len(p.Cliffs) - len(listed); more > 0 {
			which = fmt.Sprintf("the worst %d of %d", len(listed), len(p.Cliffs))
		}
		s.para("Inputs that take more than %g × as long as uniform keys of the same form and size, %s:", MaxCliff, which)
		p.steps(s, listed)
	}
	p.steepest(s)
	p.rises(s)
}

// steepest has a row for each form.
func (p Page) steepest(s *sheet) {
	if len(p.Steepest) == 0 {
		return
	}
	seen := map[string]bool{}
	var worst []Cliff
	for _, c := range p.Steepest {
		if !seen[c.Form] {
			seen[c.Form] = true
			worst = append(worst, c)
		}
	}
	s.para("The worst of each form (%s of a form with uniform keys and another input):", some(len(p.Steepest), "size"))
	p.steps(s, worst)
}

func (p Page) steps(s *sheet, list []Cliff) {
	rows := [][]string{{"form", "n", "input", p.Of, "uniform", "× uniform"}}
	for _, c := range list {
		rows = append(rows, []string{c.Form, number(c.Items), c.Input, duration(c.NS), duration(c.Uniform), fmt.Sprintf("%.2f", c.Ratio)})
	}
	rows, align := withChoice(rows, "lllr", 3, func(i int) string { return list[i].Chosen })
	s.table(align, rows)
}

// rises has a row for each form with a step.
func (p Page) rises(s *sheet) {
	if len(p.Rises) == 0 {
		return
	}
	s.para("Where time per key grows most from one measured size to the next:")
	rows := [][]string{{"form", "input", "from", "to", p.Of, "then", "× per key"}}
	for _, r := range p.Rises {
		rows = append(rows, []string{r.Form, r.Input, number(r.From), number(r.To), duration(r.FromNS), duration(r.ToNS), fmt.Sprintf("%.2f", r.Ratio)})
	}
	rows, align := withChoice(rows, "llr", 2, func(i int) string { return p.Rises[i].Chosen })
	s.table(align, rows)
}
