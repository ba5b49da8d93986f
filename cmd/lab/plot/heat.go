package plot

import "math"

// HeatCell is one field of a heat map. Without a positive value it shows Text
// on plain ground.
type HeatCell struct {
	Value     float64
	Text, Sub string // Sub is a smaller second line
	Tip       string
	Series    string
	Bad       bool // failed: shown as a warning
}

// Heat is a map of rows by columns, coloured by the logarithm of the values.
type Heat struct {
	Title, RowLabel, ColLabel, Unit string
	Rows, Cols                      []string
	Cells                           [][]HeatCell // by row
	CellW                           float64      // 0: fits the texts
	// Span is what the colours span, so that several maps compare; 0, 0: this map's
	// own values. Colours says below the scale what they are comparable with.
	Span    [2]float64
	Colours string
	narrow  bool
}

// span is what the colours span.
func (h Heat) span() [2]float64 {
	if h.Span[1] > 0 {
		return h.Span
	}
	return SpanOf(h)
}

// SpanOf is the least and greatest value of some maps; 0, 0 without any.
func SpanOf(maps ...Heat) [2]float64 {
	lo, hi := math.Inf(1), 0.0
	for _, h := range maps {
		for _, row := range h.Cells {
			for _, c := range row {
				if c.Value > 0 && finite(c.Value) {
					lo, hi = min(lo, c.Value), max(hi, c.Value)
				}
			}
		}
	}
	if hi == 0 {
		return [2]float64{}
	}
	return [2]float64{lo, hi}
}

// Draw lays the map out, with the scale of its colours below.
func (h Heat) Draw() *Figure {
	lo, hi := h.span()[0], h.span()[1]
	size, least := float64(labelSize), 58.0
	if h.narrow {
		size, least = 10, 0
	}
	left, cw, ch := TextWidth(h.RowLabel, size), max(h.CellW, least), 26.0
	for _, r := range h.Rows {
		left = max(left, TextWidth(r, size))
	}
	tall := 0.0 // names of columns, upright
	for _, c := range h.Cols {
		if h.narrow {
			tall = max(tall, TextWidth(c, size))
			continue
		}
		cw = max(cw, min(TextWidth(c, size)+12, 190))
	}
	for _, row := range h.Cells {
		for _, c := range row {
			if c.Sub != "" {
				ch = 36
			}
			if !h.narrow {
				cw = max(cw, TextWidth(c.Text, size)+12, TextWidth(c.Sub, 10)+10)
			}
		}
	}
	left += 20
	if h.narrow {
		left = min(left, NarrowWidth*0.4)
		cw = min(64, (NarrowWidth-left-8)/float64(max(len(h.Cols), 1)))
	}
	f := &Figure{W: max(left+cw*float64(len(h.Cols))+12, 300), Title: h.Title, Desc: h.describe()}
	if h.narrow {
		f.W = NarrowWidth
	}
	top := 50 + f.heading(h.Title) + tall
	if h.ColLabel != "" {
		top += 16
	}
	f.H = top + ch*float64(len(h.Rows)) + 54
	if h.ColLabel != "" {
		f.text(left, top-24-tall, h.ColLabel, size, Muted, Start)
	}
	if h.RowLabel != "" {
		f.text(left-10, top-8, h.RowLabel, size, Muted, End)
	}
	for k, c := range h.Cols {
		if x := left + cw*(float64(k)+.5); h.narrow {
			f.text(x+4, top-8, c, size, FG, Start).Turned = true
		} else {
			f.text(x, top-8, shorten(c, size, cw-4), size, FG, Middle)
		}
	}
	for i, r := range h.Rows {
		y := top + ch*float64(i)
		f.text(left-10, y+ch/2+4, shorten(r, size, left-12), size, FG, End)
		for k, c := range h.Cells[i] {
			h.cell(f, c, left+cw*float64(k), y, cw, ch, lo, hi)
		}
	}
	if hi > 0 {
		h.legend(f, left, f.H-40, min(220, f.W-left-60), lo, hi)
	}
	return f
}

func (h Heat) cell(f *Figure, c HeatCell, x, y, w, ht, lo, hi float64) {
	ink, fill := Muted, Ink("")
	if c.Value > 0 && finite(c.Value) {
		t := 1.0
		if hi > lo {
			t = math.Log(c.Value/lo) / math.Log(hi/lo)
		}
		fill, ink = heatInk(t)
	}
	m := f.rect(x+1, y+1, w-2, ht-2, fill)
	m.Series, m.Tip = c.Series, c.Tip
	if fill == "" {
		// An empty fill takes no pointer: the ground does.
		m.Fill, m.Stroke, m.Width = BG, Grid, 1
	}
	if c.Bad {
		ink, m.Stroke = Warn, Warn
	}
	at, size, sub := y+ht/2+4, float64(labelSize), c.Sub
	if h.narrow {
		size = min(10, 10*w/TextWidth(c.Text+" ", 10))
		sub = shorten(sub, 8, w)
	}
	if sub != "" {
		at -= 6
		f.text(x+w/2, at+14, sub, min(size, 10), ink, Middle).Series = c.Series
	}
	f.text(x+w/2, at, c.Text, size, ink, Middle).Series = c.Series
}

func (h Heat) legend(f *Figure, x, y, w, lo, hi float64) {
	const steps = 40
	for i := range steps {
		fill, _ := heatInk(float64(i) / (steps - 1))
		f.rect(x+w*float64(i)/steps, y, w/steps+0.5, 9, fill)
	}
	f.text(x, y+23, Short(lo), tickSize, Muted, Start)
	f.text(x+w, y+23, Short(hi)+" "+h.Unit, tickSize, Muted, End)
	if h.Colours != "" {
		f.text(x, y+37, h.Colours, 10, Muted, Start)
	}
}
