package grade

import (
	"fmt"

	"github.com/gpusort/gpusort/cmd/internal/units"
)

// score turns what was measured into points.
func (g *grader) score() {
	for _, s := range g.r.Sizes {
		g.item(fmt.Sprintf("sorts %s keys", units.Count(uint64(s.N))), s.Points, uint64(s.N), func(i *Item) { i.Points = i.Max })
	}
	for _, s := range g.r.Speeds {
		name := fmt.Sprintf("speed at %s keys, %s", units.Count(uint64(s.N)), s.Dist)
		g.item(name, s.Points, uint64(s.N), func(i *Item) { g.scoreSpeed(s, i) })
	}
	for _, b := range g.r.Bars {
		name := fmt.Sprintf("%s at %s keys", b.Metric, units.Count(uint64(b.N)))
		if b.AtLeast != nil {
			name += fmt.Sprintf(" ≥ %.4g", *b.AtLeast)
		}
		if b.AtMost != nil {
			name += fmt.Sprintf(" ≤ %.4g", *b.AtMost)
		}
		g.item(name, b.Points, uint64(b.N), func(i *Item) { g.scoreBar(b, i) })
	}
	for _, i := range g.rep.Items {
		g.rep.Score += i.Points
		g.rep.Max += i.Max
	}
}

// item adds a criterion; f is asked where all runs of n were right.
func (g *grader) item(name string, points float64, n uint64, f func(*Item)) {
	i := Item{Name: name, Max: points, Status: None}
	if g.rep.Refused == "" && g.passed(n) {
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
		runs += len(c.NS) + g.r.WarmUp
	}
	return fmt.Sprintf("%d runs on %d distributions, all right", runs, len(g.r.dists))
}

func (g *grader) scoreSpeed(s Speed, i *Item) {
	n := uint64(s.N)
	rate := rateOf(g.caseOf(n, s.Dist), s.Use)
	ideal, how := s.Ideal, "ideal"
	if s.IdealShare > 0 {
		cases := g.others[otherID("reference", s.Reference, n, s.Dist)]
		if len(cases) == 0 {
			return
		}
		reference := rateOf(cases[0], s.Use)
		ideal = s.IdealShare * reference
		how = fmt.Sprintf("%.4g of the reference's %.4g", s.IdealShare, reference)
	}
	if ideal > 0 {
		i.Points = min(i.Max, i.Max*rate/ideal)
	}
	i.Detail = fmt.Sprintf("%s of %d: %.4g Melem/s; full points at %.4g (%s)", s.Use, g.r.Iterations, rate, ideal, how)
}

func rateOf(c Case, use string) float64 {
	best, median := c.best()
	if use == "median" {
		return melems(c.N, median)
	}
	return melems(c.N, best)
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
	v, how, known := g.metric(b)
	if !known {
		i.Detail = "unknown: " + how
		switch b.Unknown {
		case "skip":
			i.Status, i.Max = Skipped, 0
		case "full":
			i.Points = i.Max
		}
		return
	}
	i.Detail = how
	if (b.AtLeast == nil || v >= *b.AtLeast) && (b.AtMost == nil || v <= *b.AtMost) {
		i.Points = i.Max
	}
}

// metric returns a bar's value, or why it is not known.
func (g *grader) metric(b Bar) (v float64, how string, known bool) {
	n := uint64(b.N)
	info, uniform := g.info[n], g.caseOf(n, "uniform")
	switch b.Metric {
	case Launches:
		if info.Launches == 0 {
			return 0, "the launches of a library are not seen", false
		}
		return float64(info.Launches), fmt.Sprintf("%d launches", info.Launches), true
	case Temp:
		v := float64(info.Temp) / float64(n*uint64(g.r.keyType.Bytes()))
		return v, fmt.Sprintf("%.3g times the keys (%s)", v, units.Bytes(info.Temp)), true
	case Rate:
		v := rateOf(uniform, "best")
		return v, fmt.Sprintf("%.4g Melem/s", v), true
	case CopyShare:
		cases := g.others[otherID("copy", "", n, copyDist)]
		if len(cases) == 0 || !cases[0].Passed {
			return 0, "the device's copy bandwidth could not be measured", false
		}
		copied, _ := cases[0].best()
		sortedIn, _ := uniform.best()
		v := float64(copied) / float64(max(sortedIn, 1))
		return v, fmt.Sprintf("%.4g of the copy bandwidth, counting one reading and one writing of the keys", v), true
	}
	if len(info.Kernels) == 0 || info.NoOccupancy != "" {
		why := info.NoOccupancy
		if why == "" {
			why = "the kernels of a library are not seen"
		}
		return 0, why, false
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
