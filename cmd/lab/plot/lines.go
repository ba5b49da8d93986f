package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// XY is one value of a series with its interval; Lo and Hi are Y where there is
// none.
type XY struct {
	X, Y, Lo, Hi float64
	Tip          string
}

// Line is one series of a chart.
type Line struct {
	Name   string
	Style  int // chooses colour, marker and dash
	Points []XY
	Loose  bool // points of their own, not joined
}

// Guide is a straight line, in values, with a label at its end; an upright one
// has it along the line.
type Guide struct {
	X1, Y1, X2, Y2 float64
	Label          string
	Bold           bool
}

// Lines is a chart of series over x. What is not finite, or not positive on a
// logarithmic axis, is not drawn.
type Lines struct {
	Title, XLabel, YLabel string
	XLog, YLog            bool
	XPow2                 bool   // ticks of x are powers of two
	XTicks                []Tick // instead of chosen ones
	XRange, YRange        [2]float64
	Series                []Line
	Guides                []Guide
	Bare                  bool // no names at the lines' ends: a legend has them
	W, H                  float64
}

// yTicks is about the number of labels on the upright axis.
const yTicks = 7

const (
	tickSize  = 11
	labelSize = 12
	titleSize = 13.5
)

// Draw lays the chart out. Names stand at the ends of their lines.
func (c Lines) Draw() *Figure {
	f := &Figure{W: c.W, H: c.H, Title: c.Title}
	c.Series = c.drawable()
	if len(c.Series) == 0 {
		f.heading(c.Title)
		f.Desc = "Nothing to draw."
		f.text(c.W/2, c.H/2, "nothing to draw", labelSize, Muted, Middle)
		return f
	}
	xs, ys := c.ranges()
	names := 0.0
	for _, s := range c.Series {
		names = max(names, TextWidth(s.Name, labelSize))
	}
	right := min(names+26, c.W*0.34)
	if c.Bare {
		right = 14
	}
	f.Desc = c.describe()
	more := f.heading(c.Title)
	f.H += more
	y := Scale{ys[0], ys[1], c.YLog, f.H - 44, 34 + more}
	left := 20.0
	for _, t := range y.ticks(yTicks, false) {
		left = max(left, TextWidth(t.Label, tickSize))
	}
	x := Scale{xs[0], xs[1], c.XLog, left + 33, c.W - right}
	c.frame(f, x, y)
	for _, g := range c.Guides {
		m := f.line(x.At(g.X1), y.At(g.Y1), x.At(g.X2), y.At(g.Y2), Muted, 1)
		if m.Dash = []float64{4, 3}; g.Bold {
			m.Dash, m.Width, m.Stroke = nil, 1.8, FG
		}
		if g.X1 == g.X2 {
			f.text(x.At(g.X1)-5, y.A-6, g.Label, 10.5, Muted, Start).Turned = true
			continue
		}
		f.text(x.At(g.X2)-4, y.At(g.Y2)-5, g.Label, 10.5, Muted, End)
	}
	clipped := false
	for _, s := range c.Series {
		band(f, s, x, y)
	}
	for _, s := range c.Series {
		trace(f, s, x, y)
		clipped = clip(f, s, x, y) || clipped
	}
	if clipped {
		f.Desc += " Intervals marked by a triangle go on beyond the axis."
		f.text(x.B, y.B-5, "▲▼ interval goes on", 10, Muted, End)
	}
	if !c.Bare {
		c.names(f, x, y, right)
	}
	return f
}

// drawable drops points that have no place on the axes.
func (c Lines) drawable() (out []Line) {
	for _, s := range c.Series {
		s.Points = slices.DeleteFunc(slices.Clone(s.Points), func(p XY) bool {
			return !finite(p.X) || !finite(p.Y) || c.XLog && p.X <= 0 || c.YLog && p.Y <= 0
		})
		for i, p := range s.Points {
			if !finite(p.Lo) || c.YLog && p.Lo <= 0 {
				s.Points[i].Lo = p.Y
			}
			if !finite(p.Hi) || c.YLog && p.Hi <= 0 {
				s.Points[i].Hi = p.Y
			}
		}
		if len(s.Points) > 0 {
			slices.SortStableFunc(s.Points, func(a, b XY) int { return cmp.Compare(a.X, b.X) })
			out = append(out, s)
		}
	}
	return out
}

func (c Lines) ranges() (x, y [2]float64) {
	x, y = [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(-1)}
	for _, s := range c.Series {
		for _, p := range s.Points {
			x = [2]float64{min(x[0], p.X), max(x[1], p.X)}
			y = [2]float64{min(y[0], p.Lo, p.Y), max(y[1], p.Hi, p.Y)}
		}
	}
	for _, t := range c.XTicks {
		x = [2]float64{min(x[0], t.Value), max(x[1], t.Value)}
	}
	if c.XRange[1] > c.XRange[0] {
		x = c.XRange
	}
	if c.YRange[1] > c.YRange[0] {
		y = c.YRange
	} else if c.YLog {
		y = [2]float64{y[0] / 1.15, y[1] * 1.15}
	} else {
		y = [2]float64{0, y[1] * 1.08}
	}
	// One value gets some room on both sides.
	if x[0] >= x[1] {
		if c.XLog {
			x = [2]float64{x[0] / 2, x[0] * 2}
		} else {
			x = [2]float64{x[0] - 1, x[0] + 1}
		}
	}
	if y[0] >= y[1] {
		y = [2]float64{y[0] / 2, y[0]*2 + 1e-9}
	}
	return x, y
}

// RangesOf are the ranges of axes that hold all of some charts.
func RangesOf(charts []Lines) (x, y [2]float64) {
	x, y = [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(-1)}
	for _, c := range charts {
		if c.Series = c.drawable(); len(c.Series) == 0 {
			continue
		}
		a, b := c.ranges()
		x = [2]float64{min(x[0], a[0]), max(x[1], a[1])}
		y = [2]float64{min(y[0], b[0]), max(y[1], b[1])}
	}
	if x[0] > x[1] {
		return [2]float64{}, [2]float64{}
	}
	return x, y
}

func (c Lines) frame(f *Figure, x, y Scale) {
	yt := y.ticks(yTicks, false)
	for _, v := range y.minor(false) {
		f.line(x.A-3, y.At(v), x.A, y.At(v), Muted, 0.7)
	}
	for _, t := range yt {
		p := y.At(t.Value)
		f.line(x.A, p, x.B, p, Grid, 1)
		f.text(x.A-7, p+4, t.Label, tickSize, Muted, End)
	}
	xt := c.XTicks
	if xt == nil {
		xt = x.ticks(int(max(2, (x.B-x.A)/30)), c.XPow2)
		for _, v := range x.minor(c.XPow2) {
			f.line(x.At(v), y.A, x.At(v), y.A+3, Muted, 0.7)
		}
	} else {
		xt = apartTicks(xt, x)
	}
	for _, t := range xt {
		p := x.At(t.Value)
		f.line(p, y.A, p, y.A+4, Muted, 1)
		f.text(p, y.A+17, t.Label, tickSize, Muted, Middle)
	}
	f.line(x.A, y.A, x.B, y.A, Muted, 1)
	f.text((x.A+x.B)/2, f.H-8, c.XLabel, labelSize, Muted, Middle)
	f.text(14, (y.A+y.B)/2, c.YLabel, labelSize, Muted, Middle).Turned = true
}

// band is the interval along the line.
func band(f *Figure, s Line, x, y Scale) {
	if s.Loose {
		return
	}
	var up, down []Point
	for _, p := range s.Points {
		up = append(up, Point{x.At(p.X), y.At(y.clamp(p.Hi))})
		down = append(down, Point{x.At(p.X), y.At(y.clamp(p.Lo))})
	}
	slices.Reverse(down)
	f.add(Mark{Points: append(up, down...), Closed: true, Fill: SeriesInk(s.Style), Opacity: 0.16, Series: s.Name})
}

func trace(f *Figure, s Line, x, y Scale) {
	ink := SeriesInk(s.Style)
	if !s.Loose && len(s.Points) > 1 {
		var line []Point
		for _, p := range s.Points {
			line = append(line, Point{x.At(p.X), y.At(p.Y)})
		}
		f.add(Mark{Points: line, Stroke: ink, Width: 2, Dash: seriesDash(s.Style), Series: s.Name})
	}
	for _, p := range s.Points {
		px, py := x.At(p.X), y.At(p.Y)
		if s.Loose || len(s.Points) == 1 {
			f.add(Mark{Points: []Point{{px, y.At(y.clamp(p.Lo))}, {px, y.At(y.clamp(p.Hi))}}, Stroke: ink, Width: 1.2, Series: s.Name})
		}
		m := marker(s.Style, px, py, 3.8)
		m.Fill, m.Stroke, m.Width, m.Series, m.Tip = ink, BG, 1, s.Name, p.Tip
		if m.Tip == "" {
			m.Tip = fmt.Sprintf("%s: %s", s.Name, Short(p.Y))
		}
		f.add(m)
	}
}

// clip marks the ends of intervals that lie beyond the axis by triangles at its border,
// and says whether there are any.
func clip(f *Figure, s Line, x, y Scale) (any bool) {
	for _, p := range s.Points {
		px := x.At(p.X)
		if p.Hi > y.Hi*(1+1e-9) {
			any = true
			f.add(Mark{Points: []Point{{px - 4, y.B + 6}, {px + 4, y.B + 6}, {px, y.B - 1}}, Closed: true, Fill: SeriesInk(s.Style), Series: s.Name,
				Tip: fmt.Sprintf("%s: the interval goes on to %s", s.Name, Short(p.Hi))})
		}
		if p.Lo < y.Lo*(1-1e-9) {
			any = true
			f.add(Mark{Points: []Point{{px - 4, y.A - 6}, {px + 4, y.A - 6}, {px, y.A + 1}}, Closed: true, Fill: SeriesInk(s.Style), Series: s.Name,
				Tip: fmt.Sprintf("%s: the interval goes on to %s", s.Name, Short(p.Lo))})
		}
	}
	return any
}

// apartTicks leaves out the labels of ticks whose texts would touch.
func apartTicks(ticks []Tick, x Scale) []Tick {
	sorted := slices.SortedFunc(slices.Values(ticks), func(a, b Tick) int { return cmp.Compare(x.At(a.Value), x.At(b.Value)) })
	end := math.Inf(-1)
	for i, t := range sorted {
		at, half := x.At(t.Value), TextWidth(t.Label, tickSize)/2
		if at-half < end+3 {
			sorted[i].Label = ""
			continue
		}
		end = at + half
	}
	return sorted
}

// marker is the shape of the i-th series about a place.
func marker(i int, x, y, r float64) Mark {
	poly := func(p ...float64) Mark {
		m := Mark{Closed: true}
		for k := 0; k < len(p); k += 2 {
			m.Points = append(m.Points, Point{x + p[k]*r, y + p[k+1]*r})
		}
		return m
	}
	switch i % 6 {
	case 1:
		return poly(-.9, -.9, .9, -.9, .9, .9, -.9, .9)
	case 2:
		return poly(0, -1.2, 1.1, .8, -1.1, .8)
	case 3:
		return poly(0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0)
	case 4:
		return poly(-1.1, -.8, 1.1, -.8, 0, 1.2)
	case 5:
		return poly(-.4, -1.2, .4, -1.2, .4, -.4, 1.2, -.4, 1.2, .4, .4, .4, .4, 1.2, -.4, 1.2, -.4, .4, -1.2, .4, -1.2, -.4, -.4, -.4)
	}
	return Mark{Points: []Point{{x, y}}, Radius: r}
}

// names writes the series' names beside their last points, pushed apart.
func (c Lines) names(f *Figure, x, y Scale, room float64) {
	type tag struct {
		at, want float64
		s        Line
	}
	var tags []tag
	for _, s := range c.Series {
		p := y.At(s.Points[len(s.Points)-1].Y)
		tags = append(tags, tag{p, p, s})
	}
	slices.SortStableFunc(tags, func(a, b tag) int { return cmp.Compare(a.want, b.want) })
	gap := min(15, (y.A-y.B+10)/float64(len(tags)))
	for i := range tags {
		tags[i].at = max(tags[i].want, y.B)
		if i > 0 {
			tags[i].at = max(tags[i].at, tags[i-1].at+gap)
		}
	}
	for i := len(tags) - 1; i >= 0; i-- {
		limit := y.A + 4
		if i < len(tags)-1 {
			limit = tags[i+1].at - gap
		}
		tags[i].at = min(tags[i].at, limit)
	}
	for _, t := range tags {
		last := t.s.Points[len(t.s.Points)-1]
		ink := SeriesInk(t.s.Style)
		f.add(Mark{Points: []Point{{x.At(last.X) + 5, t.want}, {x.B + 14, t.at}}, Stroke: ink, Width: 0.8, Series: t.s.Name})
		f.text(x.B+17, t.at+4, shorten(t.s.Name, labelSize, room-18), labelSize, ink, Start).Series = t.s.Name
	}
}
