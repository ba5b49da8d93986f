package plot

import "fmt"

// Span is something that took time on a lane.
type Span struct {
	Lane        string
	Name        string
	Start, Time float64
	Style       int
	Tip         string
}

// Spans is a timeline: lanes in the order of their first span.
type Spans struct {
	Title  string
	Spans  []Span
	W      float64
	Format func(float64) string
}

// Draw lays the lanes out. A span that is too narrow for its name has it in the
// tip alone.
func (s Spans) Draw() *Figure {
	const lane = 40
	at := map[string]int{}
	var lanes []string
	end, left := 0.0, 40.0
	for _, p := range s.Spans {
		if _, ok := at[p.Lane]; !ok {
			at[p.Lane] = len(at)
			lanes = append(lanes, p.Lane)
		}
		left = max(left, TextWidth(p.Lane, labelSize)+18)
		end = max(end, p.Start+p.Time)
	}
	f := &Figure{W: s.W, Title: s.Title, Desc: s.describe()}
	more := f.heading(s.Title)
	f.H = 78 + more + lane*float64(len(at))
	if end <= 0 {
		f.text(s.W/2, 50, "no time passed", labelSize, Muted, Middle)
		return f
	}
	x := Scale{0, end, false, left, s.W - 24}
	base := f.H - 42
	for _, t := range x.even(int(min(8, max(2, (x.B-x.A)/60)))) {
		p := x.At(t.Value)
		f.line(p, 30+more, p, base, Grid, 1)
		f.text(p, base+16, s.Format(t.Value), tickSize, Muted, Middle)
	}
	f.text((x.A+x.B)/2, f.H-8, "time", labelSize, Muted, Middle)
	for i, name := range lanes {
		f.text(left-8, 34+more+lane*(float64(i)+.5), name, labelSize, FG, End)
	}
	for _, p := range s.Spans {
		y := 30 + more + lane*float64(at[p.Lane]) + 5
		w := x.At(p.Start+p.Time) - x.At(p.Start)
		m := f.rect(x.At(p.Start), y, max(w, 0.8), lane-10, SeriesInk(p.Style))
		m.Opacity, m.Stroke, m.Width = 0.3, SeriesInk(p.Style), 1
		m.Tip = p.Tip
		if m.Tip == "" {
			m.Tip = fmt.Sprintf("%s: %s", p.Name, s.Format(p.Time))
		}
		if w > 44 || w > TextWidth(p.Name, tickSize) {
			f.text(x.At(p.Start)+w/2, y+lane/2-1, shorten(p.Name, tickSize, w-4), tickSize, FG, Middle)
		}
	}
	return f
}
