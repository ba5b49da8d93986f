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
}

// Draw lays the map out, with the scale of its colours below.
func (h Heat) Draw() *Figure {
	lo, hi := math.Inf(1), math.Inf(-1)
	left, cw, ch := TextWidth(h.RowLabel, labelSize), max(h.CellW, 58), 26.0
	for _, r := range h.Rows {
		left = max(left, TextWidth(r, labelSize))
	}
	for _, c := range h.Cols {
		cw = max(cw, min(TextWidth(c, labelSize)+12, 190))
	}
	for _, row := range h.Cells {
		for _, c := range row {
			if c.Value > 0 && finite(c.Value) {
				lo, hi = min(lo, c.Value), max(hi, c.Value)
			}
			if c.Sub != "" {
				ch = 36
			}
			cw = max(cw, TextWidth(c.Text, labelSize)+12, TextWidth(c.Sub, 10)+10)
		}
	}
	left += 20
	top := 50.0
	if h.ColLabel != "" {
		top = 66
	}
	width := max(left+cw*float64(len(h.Cols))+12, 300, TextWidth(h.Title, titleSize)+16)
	f := &Figure{W: width, H: top + ch*float64(len(h.Rows)) + 54, Title: h.Title}
	f.text(8, 18, h.Title, titleSize, FG, Start).Bold = true
	if h.ColLabel != "" {
		f.text(left, top-24, h.ColLabel, labelSize, Muted, Start)
	}
	if h.RowLabel != "" {
		f.text(left-10, top-8, h.RowLabel, labelSize, Muted, End)
	}
	for k, c := range h.Cols {
		f.text(left+cw*(float64(k)+.5), top-8, shorten(c, labelSize, cw-4), labelSize, FG, Middle)
	}
	for i, r := range h.Rows {
		y := top + ch*float64(i)
		f.text(left-10, y+ch/2+4, r, labelSize, FG, End)
		for k, c := range h.Cells[i] {
			h.cell(f, c, left+cw*float64(k), y, cw, ch, lo, hi)
		}
	}
	if hi > 0 {
		h.legend(f, left, f.H-40, min(220, width-left-60), lo, hi)
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
	at := y + ht/2 + 4
	if c.Sub != "" {
		at -= 6
		s := f.text(x+w/2, at+14, c.Sub, 10, ink, Middle)
		s.Series = c.Series
	}
	f.text(x+w/2, at, c.Text, labelSize, ink, Middle).Series = c.Series
}

func (h Heat) legend(f *Figure, x, y, w, lo, hi float64) {
	const steps = 40
	for i := range steps {
		fill, _ := heatInk(float64(i) / (steps - 1))
		f.rect(x+w*float64(i)/steps, y, w/steps+0.5, 9, fill)
	}
	f.text(x, y+23, Short(lo), tickSize, Muted, Start)
	f.text(x+w, y+23, Short(hi)+" "+h.Unit, tickSize, Muted, End)
}
