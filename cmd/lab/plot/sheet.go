package plot

// Key is one entry of a legend.
type Key struct {
	Name  string
	Style int
}

// Sheet sets figures beside and below each other, with one title and, if the
// figures carry no names of their own, one legend.
type Sheet struct {
	Title   string
	Cols    int
	Figures []*Figure
	Legend  []Key
}

// Draw lays the figures out in rows; a column is as wide as its widest figure.
func (g Sheet) Draw() *Figure {
	cols := max(1, min(g.Cols, len(g.Figures)))
	widths := make([]float64, cols)
	for i, f := range g.Figures {
		widths[i%cols] = max(widths[i%cols], f.W)
	}
	out := &Figure{Title: g.Title, Desc: g.describe()}
	for _, w := range widths {
		out.W += w
	}
	y, x, row := 0.0, 0.0, 0.0
	if g.Title != "" {
		y = 32 + out.heading(g.Title)
	}
	for i, f := range g.Figures {
		if i%cols == 0 {
			x, y, row = 0, y+row, 0
		}
		out.place(f, x, y)
		x += widths[i%cols]
		row = max(row, f.H)
	}
	out.H = g.legend(out, y+row+6)
	return out
}

// place copies the marks of another figure to an offset.
func (f *Figure) place(other *Figure, x, y float64) {
	for _, m := range other.Marks {
		at := make([]Point, len(m.Points))
		for i, p := range m.Points {
			at[i] = Point{p.X + x, p.Y + y}
		}
		m.Points = at
		f.Marks = append(f.Marks, m)
	}
}

// legend writes the keys in even columns from y on and returns where it ends.
func (g Sheet) legend(f *Figure, y float64) float64 {
	if len(g.Legend) == 0 {
		return y
	}
	const row, sample = 19, 34
	width := 0.0
	for _, k := range g.Legend {
		width = max(width, TextWidth(k.Name, labelSize))
	}
	cols := max(1, int((f.W-16)/(width+sample+22)))
	cols = min(cols, len(g.Legend))
	rows := (len(g.Legend) + cols - 1) / cols
	step := min((f.W-16)/float64(cols), width+sample+40)
	for i, k := range g.Legend {
		// Down the columns, so that neighbours of a list stay neighbours.
		px, py := 12+step*float64(i/rows), y+row*float64(i%rows)+8
		ink := SeriesInk(k.Style)
		f.add(Mark{Points: []Point{{px, py}, {px + sample - 8, py}}, Stroke: ink, Width: 2, Dash: seriesDash(k.Style), Series: k.Name})
		m := marker(k.Style, px+(sample-8)/2, py, 3.8)
		m.Fill, m.Stroke, m.Width, m.Series = ink, BG, 1, k.Name
		f.add(m)
		f.text(px+sample, py+4, k.Name, labelSize, FG, Start).Series = k.Name
	}
	return y + row*float64(rows) + 10
}
