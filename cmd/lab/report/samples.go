package report

import (
	"fmt"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// samples shows the single measurements at each kind's greatest size, where
// they last long enough to mean something.
func samples(d *data) section {
	s := section{
		ID: "samples", Title: "The samples themselves",
		Lead:    "Every measured time at the greatest size of each kind of input. Heights within a row mean nothing. The box spans the quartiles, the upright stroke is the median, the level one its 95 % interval. Each row is set against its own median, so that their spreads compare. Two clusters, or a tail, mean that one number does not tell the story.",
		Missing: "gpusort bench -a 'Algo=[cpu,merge-path,radix-4way]' -a 'Elements[pow2]=16' -d all --timeout 1s --json samples.jsonl",
	}
	order, groups := group(d.ok, func(k kind) kind { k.Items = 0; return k })
	for _, k := range order {
		cells, top := groups[k], uint64(0)
		for _, c := range cells {
			top = max(top, c.Items)
		}
		k.Items = top
		st := plot.Strips{Title: k.String(), XLabel: "time over the sort's own median (device sorts: kernel time)", W: 560, Format: times}
		for _, c := range cells {
			// A sweep of geometries would be a wall of rows.
			if c.Items != top || len(st.Rows) >= 12 {
				continue
			}
			sum := c.Judged()
			name := c.series + geometryOf(c.Cell)
			st.Rows = append(st.Rows, plot.Strip{
				Name: name, Note: result.Duration(sum.Median), Style: d.style[c.series], Values: relative(c.Main(), sum.Median),
				Median: 1, Lo: sum.Lo / sum.Median, Hi: sum.Hi / sum.Median,
				Tip: fmt.Sprintf("%s\nmedian %s [%s – %s]\nfastest %s, slowest %s, %d samples, %d outliers", name, result.Duration(sum.Median),
					result.Duration(sum.Lo), result.Duration(sum.Hi), result.Duration(sum.Min), result.Duration(sum.Max), sum.Samples, sum.Outliers),
			})
		}
		f := k.figure("samples", "")
		f.draw(st)
		s.Figures = append(s.Figures, f)
	}
	return s
}

// relative sets values against a median.
func relative(v []float64, median float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i] / median
	}
	return out
}

func times(v float64) string { return fmt.Sprintf("%.3g×", v) }
