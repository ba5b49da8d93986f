package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/gpusort/gpusort/cmd/lab/plot"
)

// entropy is rate over the entropy of the keys.
func entropy(d *data) section {
	s := section{
		ID: "entropy", Title: "Entropy",
		Lead:    "Throughput over the entropy of each key bit, made by AND of uniform words (Thearling and Smith 1992): at 0 all keys are alike. Device sorts by kernel time.",
		Missing: "gpusort bench -a 'Algo=[cpu,merge-path,radix-4way]' -a 'Entropy=[1.000,0.811,0.544,0.337,0.201,0.000]' -a 'Elements[pow2]=18' -d all --timeout 1s --json entropy.jsonl",
	}
	var with []cell
	for _, c := range d.ok {
		if _, ok := entropyOf(c.Dist); ok {
			with = append(with, c)
		}
	}
	order, groups := group(with, func(k kind) kind { k.Dist = ""; return k })
	for _, k := range order {
		cells := best(groups[k], func(c cell) string { return c.Dist })
		if len(distinct(cells, func(c cell) string { return c.Dist })) < 2 {
			continue
		}
		l := plot.Lines{
			Title: k.String(), XLabel: "entropy per bit", YLabel: "million items per second",
			XRange: [2]float64{0, 1}, W: 560, H: 340,
		}
		for _, c := range cells {
			level, _ := entropyOf(c.Dist)
			t := plot.Tick{Value: level, Label: strconv.FormatFloat(level, 'f', -1, 64)}
			if !slices.Contains(l.XTicks, t) {
				l.XTicks = append(l.XTicks, t)
			}
		}
		for _, name := range distinct(cells, func(c cell) string { return c.series }) {
			line := plot.Line{Name: name, Style: d.style[name]}
			for _, c := range cells {
				if c.series == name {
					p := rates(c, c.Judged())
					p.X, _ = entropyOf(c.Dist)
					line.Points = append(line.Points, p)
				}
			}
			l.Series = append(l.Series, line)
		}
		// Where sorts are far apart, a linear axis would flatten the slow ones.
		lo, hi := math.Inf(1), 0.0
		for _, line := range l.Series {
			for _, p := range line.Points {
				lo, hi = min(lo, p.Y), max(hi, p.Y)
			}
		}
		l.YLog = hi > 20*lo
		f := k.figure("entropy", "")
		f.draw(l)
		s.Figures = append(s.Figures, f)
	}
	return s
}
