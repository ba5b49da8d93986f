package plot

// Still is the state of a sequence, in order: heights and colours as shares
// from 0 to 1; a colour below 0 is none.
type Still struct {
	Label        string
	Values, Hues []float64
	// Runs are the places where ascending runs begin; without any, none are shown.
	Runs []int
}

// Frames shows states below each other as rows of bars.
type Frames struct {
	Title  string
	Frames []Still
	W      float64
}

// Draw lays the rows out.
func (s Frames) Draw() *Figure {
	const row, bar = 58, 40
	f := &Figure{W: s.W, H: 34 + row*float64(len(s.Frames)), Title: s.Title}
	f.Desc = s.describe()
	more := f.heading(s.Title)
	f.H += more
	left := 40.0
	for _, fr := range s.Frames {
		left = max(left, min(TextWidth(fr.Label, labelSize)+18, s.W*0.3))
	}
	for i, fr := range s.Frames {
		y := 30 + more + row*float64(i)
		f.text(left-10, y+bar/2+8, shorten(fr.Label, labelSize, left-14), labelSize, FG, End)
		w := (s.W - 10 - left) / float64(max(len(fr.Values), 1))
		fr.base(f, left, y+bar+4, w)
		for k, v := range fr.Values {
			fill := Muted
			if fr.Hues[k] >= 0 {
				fill, _ = heatInk(0.05 + 0.85*fr.Hues[k])
			}
			h := 3 + (bar-3)*v
			f.rect(left+w*float64(k), y+bar+4-h, max(w-min(1, w/5), 0.4), h, fill)
		}
	}
	return f
}

// base is the line below the bars; runs are lines of their own.
func (s Still) base(f *Figure, left, y, w float64) {
	if len(s.Runs) == 0 {
		f.line(left, y, left+w*float64(len(s.Values)), y, Grid, 1)
	}
	for i, from := range s.Runs {
		to := len(s.Values)
		if i+1 < len(s.Runs) {
			to = s.Runs[i+1]
		}
		f.line(left+w*float64(from)+w*.15, y+4, left+w*float64(to)-w*.25, y+4, SeriesInk(1), 2)
	}
}
