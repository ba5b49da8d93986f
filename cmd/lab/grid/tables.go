package grid

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// smallItems is the largest n whose cells show times and not rates: below it the
// cost of launches counts.
const smallItems = 1 << 20

// wide is the number of inputs up to which all are columns.
const wide = 12

// tables writes up to three tables for each form: powers of two, inputs that
// were measured at few of them, and other sizes.
func (p Page) tables(s *sheet) {
	s.head(2, "All cells")
	s.para("Up to 2^20 the time of %s, above that Gkeys/s; in brackets the ratio, – without a peer. Bold: a loss.", p.Of)
	for _, f := range p.forms() {
		var many, few, other []Cell
		for _, c := range p.Cells {
			switch {
			case c.form != f:
			case powerOfTwo(c.Items):
				many = append(many, c)
			default:
				other = append(other, c)
			}
		}
		many, few = thin(many)
		if len(many) > 0 {
			s.head(3, f.String())
			rows, align := grid(many)
			s.table(align, rows)
		}
		if len(few) > 0 {
			s.head(3, f.String()+", more inputs")
			rows, _ := grid(few)
			s.table("lr", transpose(rows))
		}
		if len(other) > 0 {
			s.head(3, f.String()+", other sizes")
			rows, align := grid(other)
			s.table(align, rows)
		}
	}
}

// thin takes inputs with few sizes out, if there are too many for columns.
func thin(cells []Cell) (many, few []Cell) {
	sizes, most := map[string]int{}, 0
	for _, c := range cells {
		sizes[c.Input]++
		most = max(most, sizes[c.Input])
	}
	if len(sizes) <= wide {
		return cells, nil
	}
	for _, c := range cells {
		if 2*sizes[c.Input] > most && most > 3 {
			many = append(many, c)
		} else {
			few = append(few, c)
		}
	}
	return many, few
}

// transpose makes rows of columns; the first is headed "input" then.
func transpose(rows [][]string) [][]string {
	out := make([][]string, len(rows[0]))
	for i := range out {
		for _, row := range rows {
			out[i] = append(out[i], row[i])
		}
	}
	out[0][0] = "input"
	return out
}

// grid arranges the cells of one form, which are in order of size.
func grid(cells []Cell) ([][]string, string) {
	inputs := columns(cells)
	rows := [][]string{append([]string{"n"}, inputs...)}
	var choices []string
	for len(cells) > 0 {
		n := cells[0].Items
		row := make([]string, 1+len(inputs))
		row[0] = number(n)
		var chosen []string
		for ; len(cells) > 0 && cells[0].Items == n; cells = cells[1:] {
			c := cells[0]
			row[1+slices.Index(inputs, c.Input)] = c.text()
			if c.Chosen != "" && !slices.Contains(chosen, c.Chosen) {
				chosen = append(chosen, c.Chosen)
			}
		}
		rows = append(rows, row)
		choices = append(choices, strings.Join(chosen, ", "))
	}
	return withChoice(rows, "lr", 1, func(i int) string { return choices[i] })
}

// columns are the inputs: uniform, the entropies, the rest as they come.
func columns(cells []Cell) (out []string) {
	rank := func(input string) int {
		switch {
		case input == "uniform":
			return 0
		case strings.HasPrefix(input, "entropy-"):
			return 1
		}
		return 2
	}
	for _, c := range cells {
		if !slices.Contains(out, c.Input) {
			out = append(out, c.Input)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return rank(a) - rank(b) })
	return out
}

// text is the cell in its table.
func (c Cell) text() string {
	if c.Status != result.OK {
		return string(c.Status)
	}
	s := duration(c.NS)
	if c.Items > smallItems {
		s = digits(float64(c.Items) / c.NS)
	}
	if c.Peer == "" {
		return s + " (–)"
	}
	s += fmt.Sprintf(" (%.2f)", c.Ratio)
	if c.Loss() {
		s = bold(s)
	}
	return s
}

// number writes powers of two as such, others in full.
func number(n uint64) string { return axes.FormatCount(n) }

// duration writes nanoseconds with three digits: microseconds below a
// millisecond, which keeps small sorts comparable at a glance.
func duration(ns float64) string {
	switch {
	case ns < 1e6:
		return digits(ns/1e3) + " µs"
	case ns < 1e9:
		return digits(ns/1e6) + " ms"
	}
	return digits(ns/1e9) + " s"
}

// digits writes three of them at least.
func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// list joins names as a sentence does.
func list(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return names[0]
}
