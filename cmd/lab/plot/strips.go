package plot

import (
	"fmt"
	"math"
	"slices"
)

// Strip is one sample: its values, and the interval of its median.
type Strip struct {
	Name, Note     string // Note stands below the name
	Style          int
	Values         []float64
	Median, Lo, Hi float64
	Tip            string
}

// Strips shows the values of samples as dots, each sample a row, with median,
// its interval, and the quartiles as a box.
type Strips struct {
	Title, XLabel string
	Rows          []Strip
	W             float64
	Format        func(float64) string // of x
}

// maxDots bounds the dots of a row: more cannot be told apart.
const maxDots = 150

// Draw lays the rows out on a common logarithmic axis.
func (s Strips) Draw() *Figure {
	const row = 44
	f := &Figure{W: s.W, Title: s.Title, Desc: s.describe()}
	more := f.heading(s.Title)
	f.H = 78 + more + row*float64(len(s.Rows))
	lo, hi, left := math.Inf(1), math.Inf(-1), 40.0
	for _, r := range s.Rows {
		left = max(left, min(TextWidth(r.Name, labelSize)+18, s.W*0.4))
		for _, v := range r.Values {
			if v > 0 && finite(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if hi <= 0 {
		f.text(s.W/2, 50, "no samples", labelSize, Muted, Middle)
		return f
	}
	if hi/lo < 1.05 {
		lo, hi = lo/1.03, hi*1.03
	}
	x := Scale{lo, hi, true, left + 6, s.W - 22}
	base := f.H - 40
	for _, t := range s.ticks(x) {
		p := x.At(t.Value)
		f.line(p, 30+more, p, base, Grid, 1)
		f.text(p, base+16, t.Label, tickSize, Muted, Middle)
	}
	f.text(s.W/2, f.H-6, shorten(s.XLabel, labelSize, s.W-8), labelSize, Muted, Middle)
	for i, r := range s.Rows {
		s.row(f, r, x, 30+more+row*(float64(i)+.5), left)
	}
	return f
}

// ticks of a short range are even, because its decades hold none.
func (s Strips) ticks(x Scale) []Tick {
	n := int(min(7, max(2, (x.B-x.A)/50)))
	t := x.decades(n)
	if x.Hi/x.Lo < 3 {
		even := x
		even.Log = false
		t = even.even(min(n, 5))
	}
	for i := range t {
		t[i].Label = s.Format(t[i].Value)
	}
	return t
}

func (s Strips) row(f *Figure, r Strip, x Scale, y, left float64) {
	ink := SeriesInk(r.Style)
	f.text(left-4, y-1, shorten(r.Name, labelSize, left-8), labelSize, FG, End).Series = r.Name
	f.text(left-4, y+13, r.Note, 10.5, Muted, End).Series = r.Name
	v := slices.DeleteFunc(slices.Clone(r.Values), func(v float64) bool { return v <= 0 || !finite(v) })
	if len(v) == 0 {
		return
	}
	slices.Sort(v)
	q1, q3 := x.At(v[len(v)/4]), x.At(v[len(v)*3/4])
	box := f.rect(q1, y-11, max(q3-q1, 1), 22, ink)
	box.Opacity, box.Series, box.Tip = 0.16, r.Name, r.Tip
	for i, d := range every(r.Values, maxDots) {
		if d <= 0 || !finite(d) {
			continue
		}
		// The golden ratio spreads neighbours without chance.
		_, j := math.Modf(float64(i) * 0.6180339887)
		f.add(Mark{Points: []Point{{x.At(d), y + (j-.5)*20}}, Radius: 2.2, Fill: ink, Opacity: 0.6, Series: r.Name,
			Tip: fmt.Sprintf("%s: sample %d, %s", r.Name, i+1, s.Format(d))})
	}
	if r.Lo > 0 && r.Hi >= r.Lo {
		f.add(Mark{Points: []Point{{x.At(r.Lo), y}, {x.At(r.Hi), y}}, Stroke: FG, Width: 1.5, Series: r.Name})
	}
	if r.Median > 0 {
		f.add(Mark{Points: []Point{{x.At(r.Median), y - 13}, {x.At(r.Median), y + 13}}, Stroke: FG, Width: 2.2, Series: r.Name, Tip: r.Tip})
	}
}

// every keeps at most n values, evenly chosen.
func every(v []float64, n int) []float64 {
	if len(v) <= n {
		return v
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = v[i*len(v)/n]
	}
	return out
}
