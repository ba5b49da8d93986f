package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// verdict is the head of the page.
type verdict struct {
	Headlines []string
	Tables    []winners
	Correct   bool
	Badge     string
	Warnings  []string
}

// winners is the fastest by size for one kind of input.
type winners struct {
	Kind          kind
	Title         string
	KeyType, Mode string
	Rows          []winnerRow
}

// winnerRow is one size.
type winnerRow struct {
	N           string
	Kernel, End winner
}

// winner is who was fastest by one clock, and by how much.
type winner struct {
	Series, Rate, Margin string
	Clock                string // which of the two times
	Tie                  bool
	style                int
}

// Ink is the winner's class of text colour.
func (w winner) Ink() string { return string(plot.SeriesInk(w.style)) }

func newVerdict(d *data) verdict {
	v := verdict{}
	v.badge(d)
	v.Warnings = warnings(d)
	order, groups := group(d.ok, func(k kind) kind { k.Items = 0; return k })
	for _, k := range order {
		cells := best(groups[k], func(c cell) uint64 { return c.Items })
		if len(distinct(cells, func(c cell) string { return c.series })) < 2 {
			continue
		}
		w := winners{Kind: k, Title: k.String(), KeyType: k.KeyType, Mode: k.Mode}
		sizes := sizes(cells)
		for _, n := range sizes {
			w.Rows = append(w.Rows, winnerRow{count(n), d.fastest(cells, n, measures[0]), d.fastest(cells, n, measures[1])})
		}
		v.Tables = append(v.Tables, w)
		if len(sizes) > 1 {
			v.Headlines = append(v.Headlines, headlines(k, cells, sizes)...)
		}
	}
	v.Headlines = append(v.Headlines, byInput(d)...)
	// Kinds with most sizes first: they tell most.
	slices.SortStableFunc(v.Tables, func(a, b winners) int { return len(b.Rows) - len(a.Rows) })
	if len(v.Headlines) == 0 && len(d.ok) > 0 {
		c := slices.MaxFunc(d.ok, func(a, b cell) int {
			return cmp.Compare(a.Rate(a.Judged().Median), b.Rate(b.Judged().Median))
		})
		v.Headlines = []string{fmt.Sprintf("No two sorts met on the same input. The highest rate is %s with %s Melem/s (%s).",
			c.series, plot.Short(c.Rate(c.Judged().Median)/1e6), kindOf(c.Cell))}
	}
	return v
}

// ranked are the cells of one size by time, fastest first.
func ranked(cells []cell, n uint64, m measure) (out []cell) {
	for _, c := range cells {
		if s := m.of(c); c.Items == n && s != nil && s.Median > 0 {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b cell) int { return cmp.Compare(m.of(a).Median, m.of(b).Median) })
	return out
}

func (d *data) fastest(cells []cell, n uint64, m measure) winner {
	r := ranked(cells, n, m)
	if len(r) == 0 {
		return winner{Clock: m.short, Series: "–"}
	}
	a := m.of(r[0])
	w := winner{Clock: m.short, Series: r[0].series, Rate: plot.Short(r[0].Rate(a.Median) / 1e6), style: d.style[r[0].series]}
	if len(r) == 1 {
		w.Margin = "alone"
		return w
	}
	b := m.of(r[1])
	w.Tie = overlap(a, b)
	w.Margin = fmt.Sprintf("%s × %s", ratio(b.Median/a.Median), r[1].series)
	if w.Tie {
		w.Margin = "not told apart from " + r[1].series
	}
	return w
}

// ratio writes a factor with three digits.
func ratio(v float64) string {
	switch {
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return plot.Short(v)
}

// overlap says that two medians' intervals meet: neither is called faster.
func overlap(a, b *stat.Summary) bool { return a.Hi >= b.Lo && b.Hi >= a.Lo }

// headlines say in words who is fastest where, and where that changes, for data
// in host memory, which is what a caller has.
func headlines(k kind, cells []cell, sizes []uint64) (out []string) {
	type leg struct {
		series   string
		from, to uint64
	}
	m := measures[1]
	var legs []leg
	for _, n := range sizes {
		r := ranked(cells, n, m)
		if len(r) < 2 || overlap(m.of(r[0]), m.of(r[1])) {
			continue
		}
		if l := len(legs); l > 0 && legs[l-1].series == r[0].series {
			legs[l-1].to = n
			continue
		}
		legs = append(legs, leg{r[0].series, n, n})
	}
	name := k.String()
	switch {
	case len(legs) == 0:
		return []string{fmt.Sprintf("%s: no sort is told apart from the next one, end to end.", name)}
	case len(legs) == 1 && legs[0].from == legs[0].to:
		return []string{fmt.Sprintf("%s, end to end: %s is fastest at n = %s; elsewhere the first two are not told apart.", name, legs[0].series, count(legs[0].from))}
	case len(legs) == 1:
		return []string{fmt.Sprintf("%s, end to end: %s is fastest from n = %s to %s.", name, legs[0].series, count(legs[0].from), count(legs[0].to))}
	}
	for i := 1; i < len(legs); i++ {
		at := crossing(cells, legs[i-1].series, legs[i].series, legs[i-1].to, legs[i].from, m)
		out = append(out, fmt.Sprintf("%s, end to end: %s is fastest up to n = %s, %s from n = %s; they cross near n = %s.",
			name, legs[i-1].series, count(legs[i-1].to), legs[i].series, count(legs[i].from), plot.Short(at)))
	}
	return out
}

// byInput says who is fastest on which distribution, where one size was
// measured of several.
func byInput(d *data) (out []string) {
	order, groups := group(d.ok, func(k kind) kind { k.Dist = ""; return k })
	for _, k := range order {
		cells := best(groups[k], func(c cell) string { return c.Dist })
		var names []string
		on := map[string][]string{}
		for _, dist := range distinct(cells, func(c cell) string { return c.Dist }) {
			r := ranked(slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return c.Dist != dist }), k.Items, measures[1])
			if len(r) < 2 {
				continue
			}
			name := r[0].series + " is fastest"
			if overlap(measures[1].of(r[0]), measures[1].of(r[1])) {
				name = "the first two are not told apart"
			}
			if on[name] == nil {
				names = append(names, name)
			}
			on[name] = append(on[name], dist)
		}
		if len(names) == 0 || len(names) == 1 && len(on[names[0]]) < 2 {
			continue
		}
		var parts []string
		if len(names) == 1 {
			out = append(out, fmt.Sprintf("%s, end to end: %s on all %d inputs.", k, names[0], len(on[names[0]])))
			continue
		}
		for _, n := range names {
			parts = append(parts, n+" on "+strings.Join(on[n], ", "))
		}
		out = append(out, fmt.Sprintf("%s, end to end: %s.", k, strings.Join(parts, "; ")))
	}
	return out
}

// crossing estimates where two lines of a log-log chart meet between sizes n0
// and n1, at which each is ahead once.
func crossing(cells []cell, a, b string, n0, n1 uint64, m measure) float64 {
	behind := func(n uint64) float64 {
		var ta, tb float64
		for _, c := range cells {
			if s := m.of(c); c.Items == n && s != nil {
				switch c.series {
				case a:
					ta = s.Median
				case b:
					tb = s.Median
				}
			}
		}
		return math.Log(ta / tb)
	}
	d0, d1 := behind(n0), behind(n1)
	l0, l1 := math.Log(float64(n0)), math.Log(float64(n1))
	t := 0.5
	if r := d0 / (d0 - d1); r > 0 && r < 1 {
		t = r
	}
	return math.Exp(l0 + t*(l1-l0))
}
