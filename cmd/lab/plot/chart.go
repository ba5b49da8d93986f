package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Chart is what is drawn as wide as its maker wants it, or for a telephone.
type Chart interface {
	Draw() *Figure
	// Narrow draws it NarrowWidth pixels wide, as high as it takes.
	Narrow() *Figure
}

// NarrowWidth fits the smallest telephones in use, 360 pixels wide, with margins.
const NarrowWidth = 330

// lineHeight is that of a title that takes several lines.
const lineHeight = 18

// heading writes a title in as many lines as it takes, and returns how much room
// those after the first need.
func (f *Figure) heading(title string) (more float64) {
	lines := wrap(title, titleSize, f.W-16)
	for i, line := range lines {
		f.text(8, 18+lineHeight*float64(i), line, titleSize, FG, Start).Bold = true
	}
	return lineHeight * float64(len(lines)-1)
}

// wrap breaks a text between words into lines of at most w pixels; a word that is
// longer is cut.
func wrap(s string, size, w float64) (lines []string) {
	line := ""
	for _, word := range strings.Fields(s) {
		switch next := strings.TrimSpace(line + " " + word); {
		case line == "" || TextWidth(next, size) <= w:
			line = next
		default:
			lines, line = append(lines, shorten(line, size, w)), word
		}
	}
	return append(lines, shorten(line, size, w))
}

// Narrow draws the chart with a legend below in the place of names at the lines.
func (c Lines) Narrow() *Figure {
	c.W, c.H = NarrowWidth, 290
	g := Sheet{Cols: 1}
	if !c.Bare {
		for _, s := range c.drawable() {
			g.Legend = append(g.Legend, Key{s.Name, s.Style})
		}
	}
	c.Bare = true
	f := c.Draw()
	g.Figures = []*Figure{f}
	out := g.Draw()
	out.Title, out.Desc = f.Title, f.Desc
	return out
}

// narrowCols is the number of columns of a heat map that fit a telephone.
const narrowCols = 6

// Narrow turns the columns' names upright, and sets maps of many columns below each
// other.
func (h Heat) Narrow() *Figure {
	h.narrow = true
	h.Span = h.span()
	if len(h.Cols) <= narrowCols {
		return h.Draw()
	}
	g := Sheet{Cols: 1}
	whole := h.describe()
	for at := 0; at < len(h.Cols); at += narrowCols {
		part, end := h, min(at+narrowCols, len(h.Cols))
		part.Cols, part.Cells = h.Cols[at:end], nil
		for _, row := range h.Cells {
			part.Cells = append(part.Cells, row[at:end])
		}
		g.Figures = append(g.Figures, part.Draw())
	}
	f := g.Draw()
	f.Title, f.Desc = h.Title, whole
	return f
}

// Narrow draws the same rows.
func (s Strips) Narrow() *Figure { s.W = NarrowWidth; return s.Draw() }

// Narrow draws the same lanes; names that do not fit are in the tips.
func (s Spans) Narrow() *Figure { s.W = NarrowWidth; return s.Draw() }

// Narrow draws the same rows of thinner bars.
func (s Frames) Narrow() *Figure { s.W = NarrowWidth; return s.Draw() }

// Narrow sets all figures below each other.
func (g Sheet) Narrow() *Figure { g.Cols = 1; return g.Draw() }

// stepWidth is the least room of a step of a network in which its arrows can be told
// apart.
const stepWidth = 12

// Narrow breaks the network into rows of steps.
func (n Network) Narrow() *Figure {
	g := Sheet{Cols: 1}
	whole := n.describe()
	part := n
	part.W, part.Steps = NarrowWidth, nil
	room := 0.0
	flush := func() {
		if len(part.Steps) > 0 {
			g.Figures = append(g.Figures, part.Draw())
			part.Title, part.Keys, part.Steps, room = "", part.Steps[len(part.Steps)-1].Keys, nil, 0
			part.In = nil
		}
	}
	part.Out = nil
	for i, s := range n.Steps {
		_, columns := apart(s.Comparators, len(n.Keys))
		need := stepWidth * (float64(columns) + 1.5)
		if room > 0 && room+need > NarrowWidth-60 {
			flush()
		}
		part.Steps = append(part.Steps, s)
		if room += need; i == len(n.Steps)-1 {
			part.Out = n.Out
		}
	}
	flush()
	f := g.Draw()
	f.Title, f.Desc = n.Title, whole
	return f
}

// describe says in words what the lines show, for those who do not see them.
func (c Lines) describe() string {
	kind := func(log bool) string {
		if log {
			return ", logarithmic"
		}
		return ""
	}
	at := func(x float64) string {
		if e := math.Log2(x); c.XPow2 && e > 3 && e == math.Trunc(e) {
			return fmt.Sprintf("2^%g", e)
		}
		return Short(x)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Chart of %s (upwards%s) over %s (across%s).", c.YLabel, kind(c.YLog), c.XLabel, kind(c.XLog))
	for _, s := range c.Series {
		first, last := s.Points[0], s.Points[len(s.Points)-1]
		low := slices.MinFunc(s.Points, func(a, b XY) int { return cmp.Compare(a.Y, b.Y) })
		high := slices.MaxFunc(s.Points, func(a, b XY) int { return cmp.Compare(a.Y, b.Y) })
		switch {
		case len(s.Points) == 1:
			fmt.Fprintf(&b, " %s: %s at %s.", s.Name, Short(first.Y), at(first.X))
		default:
			fmt.Fprintf(&b, " %s: %d points from %s at %s to %s at %s; lowest %s, highest %s.", s.Name, len(s.Points),
				Short(first.Y), at(first.X), Short(last.Y), at(last.X), Short(low.Y), Short(high.Y))
		}
	}
	return b.String()
}

func (h Heat) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Table of %s by row and column, coloured by value.", h.Unit)
	for i, r := range h.Rows {
		fmt.Fprintf(&b, " %s:", r)
		for k, c := range h.Cells[i] {
			fmt.Fprintf(&b, " %s %s,", h.Cols[k], c.Text)
		}
	}
	return strings.TrimSuffix(b.String(), ",") + "."
}

func (s Strips) describe() string {
	b := "Dots of single samples, one row for each sort, over " + s.XLabel + "."
	for _, r := range s.Rows {
		b += fmt.Sprintf(" %s: %d samples, median %s, its interval %s to %s.", r.Name, len(r.Values), s.Format(r.Median), s.Format(r.Lo), s.Format(r.Hi))
	}
	return b
}

func (s Spans) describe() string {
	b := "Timeline."
	for _, p := range s.Spans {
		b += fmt.Sprintf(" %s, %s: %s.", p.Lane, p.Name, s.Format(p.Time))
	}
	return b
}

func (s Frames) describe() string {
	b := "Rows of bars, a row for each state of the keys:"
	for i, f := range s.Frames {
		if i > 0 {
			b += ";"
		}
		b += " " + f.Label
	}
	return b + "."
}

func (n Network) describe() string {
	arrows, swaps := 0, 0
	for _, s := range n.Steps {
		for _, c := range s.Comparators {
			if arrows++; c.Swapped {
				swaps++
			}
		}
	}
	return fmt.Sprintf("A sorting network of %d wires and %d steps: %d comparisons, of which %d exchanged their keys.", len(n.Keys), len(n.Steps), arrows, swaps)
}

func (g Sheet) describe() string {
	var parts []string
	for _, f := range g.Figures {
		parts = append(parts, strings.TrimSuffix(f.Title, ".")+". "+f.Desc)
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}
