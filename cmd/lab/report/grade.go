package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"

	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/grade"
	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

//go:embed grade.html
var gradeHTML string

var gradeTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("grade").Funcs(template.FuncMap{
		"sup":      Raise,
		"percent":  func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) },
		"duration": units.Duration,
	}).Parse(gradeHTML))
})

// gradeView is what the template of a grading sees.
type gradeView struct {
	R     grade.Report
	Style template.CSS
	Wrong int
	Chart *Figure
	Rows  []gradeRow
}

// SVG is the chart.
func (v gradeView) SVG() template.HTML { return v.Chart.SVG() }

type gradeRow struct {
	N, Dist            string
	Passed             bool
	Reason             string
	Best, Median, Rate string
}

// WriteGrade writes the page of one submission: its points and why, speed by
// size, every input, and the kernels. It has no script and asks no network.
func WriteGrade(w io.Writer, r grade.Report) error {
	v := gradeView{R: r, Style: template.CSS(StyleSheet())}
	if r.Refused != "" {
		// The reason stands above the table, once.
		v.R.Items = slices.Clone(r.Items)
		for i := range v.R.Items {
			v.R.Items[i].Detail = ""
		}
	}
	for _, c := range r.Cases {
		row := gradeRow{N: count(c.N), Dist: c.Dist, Passed: c.Passed, Reason: c.Reason, Best: "–", Median: "–", Rate: "–"}
		if c.Fatal != "" {
			row.Reason = c.Fatal
		}
		if !c.Passed {
			v.Wrong++
		}
		if len(c.NS) > 0 {
			best := slices.Min(c.NS)
			row.Best, row.Median = result.Duration(float64(best)), result.Duration(float64(stat.Median(c.NS)))
			row.Rate = plot.Short(1e3 * float64(c.N) / float64(max(best, 1)))
		}
		v.Rows = append(v.Rows, row)
	}
	if chart := speeds(r); len(chart.Series) > 0 {
		v.Chart = &Figure{}
		v.Chart.draw(chart)
	}
	if err := gradeTemplate().Execute(w, v); err != nil {
		return fmt.Errorf("page of the grade: %w", err)
	}
	return nil
}

// speeds are the best rates over size, a line for each distribution.
func speeds(r grade.Report) plot.Lines {
	l := plot.Lines{Title: "Best of the runs", XLabel: "number of items", YLabel: "million items per second", XLog: true, XPow2: true, YLog: true, W: 820, H: 400}
	at := map[string]int{}
	for _, c := range r.Cases {
		if !c.Passed || len(c.NS) == 0 {
			continue
		}
		i, ok := at[c.Dist]
		if !ok {
			i = len(l.Series)
			at[c.Dist] = i
			l.Series = append(l.Series, plot.Line{Name: c.Dist, Style: i})
		}
		rate := func(ns int64) float64 { return 1e3 * float64(c.N) / float64(max(ns, 1)) }
		best := rate(slices.Min(c.NS))
		l.Series[i].Points = append(l.Series[i].Points, plot.XY{
			X: float64(c.N), Y: best, Lo: rate(slices.Max(c.NS)), Hi: best,
			Tip: fmt.Sprintf("%s, n = %s: %s Melem/s", c.Dist, count(c.N), plot.Short(best)),
		})
	}
	return l
}
