package grade

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gpusort/gpusort/cmd/internal/units"
)

// slow says whose time is taken to be the slow one.
type slow int

// The ways to count points: as measured, or as they could as well have been. In freeTurns an
// empty turn that was taken off is part of the submission's time: its turns may cost less than
// those of the harness, and by how much nobody sees.
const (
	neither slow = iota
	submission
	other
	freeTurns
)

// score turns what was measured into points.
func (g *grader) score() {
	for _, s := range g.r.Sizes {
		g.item(fmt.Sprintf("sorts %s keys", units.Count(uint64(s.N))), s.Points, uint64(s.N), false, func(i *Item) { i.Points = i.Max })
	}
	for _, s := range g.r.Speeds {
		name := fmt.Sprintf("speed at %s keys, %s", units.Count(uint64(s.N)), s.Dist)
		g.item(name, s.Points, uint64(s.N), false, func(i *Item) {
			i.Points, i.Detail = g.scoreSpeed(s, neither)
			points := func(h slow) float64 { p, _ := g.scoreSpeed(s, h); return p }
			g.doubt(i, points)
			g.unfit(i, uint64(s.N), s.Dist, points)
		})
	}
	for _, b := range g.r.Bars {
		name := fmt.Sprintf("%s at %s keys", b.Metric, units.Count(uint64(b.N)))
		if b.AtLeast != nil {
			name += fmt.Sprintf(" ≥ %.4g", *b.AtLeast)
		}
		if b.AtMost != nil {
			name += fmt.Sprintf(" ≤ %.4g", *b.AtMost)
		}
		g.item(name, b.Points, uint64(b.N), g.unseen(b), func(i *Item) {
			g.scoreBar(b, i)
			if b.timed() && i.Status != Skipped {
				points := func(h slow) float64 { return g.pointsOfBar(b, h) }
				g.doubt(i, points)
				g.unfit(i, uint64(b.N), "uniform", points)
			}
		})
	}
	for _, i := range g.rep.Items {
		g.rep.Score += i.Points
		g.rep.Max += i.Max
		g.rep.Unstable = g.rep.Unstable || i.Unstable
	}
}

// unseen reports whether a bar is left out for every submission of this kind on
// this device, a wrong one as well: so all of a class have one maximum.
func (g *grader) unseen(b Bar) bool {
	return b.Unknown == "skip" && slices.Contains([]string{Launches, Occupancy, Temp}, b.Metric) && g.job.Device != "" && !g.trusted(g.job)
}

// item adds a criterion, unless it is unseen; f is asked where all runs of n were
// right.
func (g *grader) item(name string, points float64, n uint64, unseen bool, f func(*Item)) {
	i := Item{Name: name, Max: points, Status: None}
	if unseen {
		i.Max, i.Status, i.Detail = 0, Skipped, "not measured: "+untold
	}
	if g.rep.Refused == "" && g.passed(n) && !unseen {
		f(&i)
	}
	if i.Detail == "" {
		i.Detail = g.why(n)
	}
	switch {
	case i.Status == Skipped:
	case i.Points >= i.Max && g.rep.Refused == "" && g.passed(n):
		i.Status = Full
	case i.Points > 0:
		i.Status = Partial
	}
	g.rep.Items = append(g.rep.Items, i)
}

// why says how n went, in a few words.
func (g *grader) why(n uint64) string {
	if g.rep.Refused != "" {
		return "no points: " + g.rep.Refused
	}
	runs := 0
	for _, c := range g.rep.Cases {
		if c.N != n {
			continue
		}
		if !c.Passed && c.Dist != "" {
			return c.Dist + ": " + c.Reason
		}
		if !c.Passed {
			return c.Reason
		}
		runs += len(c.NS) + g.r.WarmUp*len(c.rounds)
	}
	return fmt.Sprintf("%d runs on %d distributions, all right", runs, len(g.r.dists))
}

// off is how far the points are from what they could as well have been, as a share of them.
func (i Item) off(points float64) float64 {
	return math.Abs(points-i.Points) / max(i.Points, i.Max/100)
}

// doubt notes how far the points are from what they could as well have been.
func (g *grader) doubt(i *Item, points func(slow) float64) {
	if i.Max == 0 {
		return
	}
	for _, h := range []slow{submission, other} {
		i.Noise = max(i.Noise, i.off(points(h)))
	}
	if i.Unstable = i.Noise > tolerance; i.Unstable {
		i.Detail += fmt.Sprintf("; not measurable here: rounds differ by %.0f %%", 100*i.Noise)
	}
}

// unfit marks a criterion whose sort took less than two empty turns, each of which
// is the unit of the grader's clock, or that hangs on the empty turn that was taken off, or that
// was measured on a busy machine and would have more points on an idle one.
func (g *grader) unfit(i *Item, n uint64, dist string, points func(slow) float64) {
	c := g.caseOf(n, dist)
	empty := units.Duration(time.Duration(g.empty))
	why := ""
	switch {
	case i.Max == 0 || i.Unstable || len(c.NS) == 0:
	case slices.Min(c.NS) < 2*g.empty:
		why = fmt.Sprintf("a sort takes less than two empty turns of %s: take a greater n", empty)
	case i.off(points(freeTurns)) > tolerance:
		why = fmt.Sprintf("%.0f %% of the points hang on the empty turn of %s that was taken off: take a greater n", 100*i.off(points(freeTurns)), empty)
	case g.busy[n] > busyShare && i.Points < i.Max:
		why = fmt.Sprintf("the machine is busy: other programs used %.0f %% of the processors", 100*min(g.busy[n], 1))
	}
	if why != "" {
		i.Unstable = true
		i.Detail += "; not measurable here: " + why
	}
}

// rate is that of the submission's runs of n, counted as h says.
func (g *grader) rate(n uint64, dist, use string, h slow) float64 {
	c := g.caseOf(n, dist)
	if h == freeTurns {
		c = c.later(g.empty)
	}
	return c.rate(use, h == submission)
}

// timed reports whether a criterion of n asks for a time.
func (g *grader) timed(n uint64) bool {
	for _, s := range g.r.Speeds {
		if uint64(s.N) == n {
			return true
		}
	}
	for _, b := range g.r.Bars {
		if uint64(b.N) == n && b.timed() {
			return true
		}
	}
	return false
}

func (b Bar) timed() bool { return b.Metric == Rate || b.Metric == CopyShare }

// noise is that of the criterion of n that repeats worst.
func (g *grader) noise(n uint64) (worst float64) {
	add := func(max float64, points func(slow) float64) {
		i := Item{Points: points(neither), Max: max}
		g.doubt(&i, points)
		if i.Noise > worst {
			worst = i.Noise
		}
	}
	for _, s := range g.r.Speeds {
		if uint64(s.N) == n {
			add(s.Points, func(h slow) float64 { p, _ := g.scoreSpeed(s, h); return p })
		}
	}
	for _, b := range g.r.Bars {
		if uint64(b.N) == n && b.timed() {
			add(b.Points, func(h slow) float64 { return g.pointsOfBar(b, h) })
		}
	}
	return worst
}

func (g *grader) scoreSpeed(s Speed, h slow) (points float64, how string) {
	n := uint64(s.N)
	rate := g.rate(n, s.Dist, s.Use, h)
	ideal, of := s.Ideal, "ideal"
	if s.IdealShare > 0 {
		cases := g.others[otherID("reference", s.Reference, n, s.Dist)]
		if len(cases) == 0 {
			return 0, ""
		}
		reference := cases[0].rate(s.Use, h == other)
		ideal = s.IdealShare * reference
		of = fmt.Sprintf("%.4g of the reference's %.4g", s.IdealShare, reference)
	}
	if ideal > 0 {
		points = min(s.Points, s.Points*rate/ideal)
	}
	return points, fmt.Sprintf("%s of %d: %.4g Melem/s; full points at %.4g (%s)", s.Use, len(g.caseOf(n, s.Dist).NS), rate, ideal, of)
}

func (g *grader) caseOf(n uint64, dist string) Case {
	for _, c := range g.rep.Cases {
		if c.N == n && c.Dist == dist {
			return c
		}
	}
	return Case{}
}

func (g *grader) scoreBar(b Bar, i *Item) {
	v, how, known := g.metric(b, neither)
	if !known {
		i.Detail = "not measured: " + how
		if b.Unknown == "skip" {
			i.Status, i.Max = Skipped, 0
		}
		return
	}
	i.Detail = how
	if b.met(v) {
		i.Points = i.Max
	}
}

func (b Bar) met(v float64) bool {
	return (b.AtLeast == nil || v >= *b.AtLeast) && (b.AtMost == nil || v <= *b.AtMost)
}

func (g *grader) pointsOfBar(b Bar, h slow) float64 {
	if v, _, known := g.metric(b, h); known && b.met(v) {
		return b.Points
	}
	return 0
}

// untold is why a metric counts for nothing: what a process says in which code
// of the submission runs is no measurement.
const untold = "the submission's own process alone could tell"

// metric returns a bar's value, or why it is not known.
func (g *grader) metric(b Bar, h slow) (v float64, how string, known bool) {
	n := uint64(b.N)
	info, seen := g.info[n]
	switch b.Metric {
	case Rate:
		v := g.rate(n, "uniform", "best", h)
		return v, fmt.Sprintf("%.4g Melem/s", v), true
	case CopyShare:
		cases := g.others[otherID("copy", "", n, copyDist)]
		if len(cases) == 0 || !cases[0].Passed {
			return 0, "the device's copy bandwidth is not known", false
		}
		v := g.rate(n, "uniform", "best", h) / max(cases[0].rate("best", h == other), 1e-9)
		return v, fmt.Sprintf("%.4g of the copy bandwidth, counting one reading and one writing of the keys", v), true
	}
	if !seen {
		return 0, untold, false
	}
	switch b.Metric {
	case Launches:
		return float64(info.Launches), fmt.Sprintf("%d launches", info.Launches), info.Launches > 0
	case Temp:
		v := float64(info.Temp) / float64(n*uint64(g.r.keyType.Bytes()))
		return v, fmt.Sprintf("%.3g times the keys (%s)", v, units.Bytes(info.Temp)), true
	}
	if len(info.Kernels) == 0 || info.NoOccupancy != "" {
		return 0, info.NoOccupancy, false
	}
	sum, launches, least := 0.0, 0, info.Kernels[0]
	for _, k := range info.Kernels {
		sum += k.Occupancy * float64(k.Launches)
		launches += k.Launches
		if k.Occupancy < least.Occupancy {
			least = k
		}
	}
	v = sum / float64(launches)
	return v, fmt.Sprintf("%.1f %% theoretical, mean over %d launches; least %.1f %% in %s (limited by %s)", 100*v, launches, 100*least.Occupancy, least.Name, least.Limiter), true
}
