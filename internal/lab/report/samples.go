package report

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/lab/plot"
	"github.com/gpusort/gpusort/internal/lab/result"
)

// samples shows the single measurements at each kind's greatest size, where
// they last long enough to mean something.
func samples(d *data) section {
	s := section{
		ID: "samples", Title: "The samples themselves",
		Lead:    "Every measured time at the greatest size of each kind of input. Heights within a row mean nothing. The box spans the quartiles, the upright stroke is the median, the level one its 95 % interval. Two clusters, or a tail, mean that one number does not tell the story.",
		Missing: "gpusort bench experiments/demo.toml --json results.jsonl",
	}
	order, groups := group(d.ok, func(k kind) kind { k.Items = 0; return k })
	for _, k := range order {
		cells, top := groups[k], uint64(0)
		for _, c := range cells {
			top = max(top, c.Items)
		}
		k.Items = top
		st := plot.Strips{Title: k.String(), XLabel: "time of one sort (device sorts: kernel time)", W: 560, Format: result.Duration}
		for _, c := range cells {
			// A sweep of geometries would be a wall of rows.
			if c.Items != top || len(st.Rows) >= 12 {
				continue
			}
			sum := c.Judged()
			name := c.series + geometryOf(c.Cell)
			st.Rows = append(st.Rows, plot.Strip{
				Name: name, Style: d.style[c.series], Values: c.Main(), Median: sum.Median, Lo: sum.Lo, Hi: sum.Hi,
				Tip: fmt.Sprintf("%s\nmedian %s [%s – %s]\nfastest %s, slowest %s, %d samples, %d outliers", name, result.Duration(sum.Median),
					result.Duration(sum.Lo), result.Duration(sum.Hi), result.Duration(sum.Min), result.Duration(sum.Max), sum.Samples, sum.Outliers),
			})
		}
		f := k.figure("samples", "")
		f.Plot = st.Draw()
		s.Figures = append(s.Figures, f)
	}
	return s
}
