package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/lab/axes"
	labreport "github.com/gpusort/gpusort/cmd/lab/report"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

type reportCmd struct {
	*app
	output, figure, title string
	of                    string
	only, against         []string
	scale                 float64
	json                  bool
}

// filter is one --only, and the error if it leaves nothing.
type filter struct {
	name   string
	values []string
	keep   func(result.Cell) bool
	none   error
}

func (a *app) reportCommand() *cobra.Command {
	r := &reportCmd{app: a}
	c := &cobra.Command{
		Use:   "report RESULTS... [flags]",
		Short: "Turn results into a page, a judgement or a figure",
		Long: `Make one HTML file of benchmark results: who is fastest where, throughput over
size, kinds of input, entropy, launch geometry, roofline, steps, samples,
environment and the data themselves. It needs no network and no JavaScript.

RESULTS are files of 'gpusort bench --json', 'gpusort profile --json' and
'gpusort profile --record', any number of each. With --figure, a single figure
is written as SVG or PNG instead.

With --against, the page is Markdown (or HTML, by the name of -o) and judges one
sort, --of, cell by cell against the fastest of the named peers. The cells that it
loses stand first; then geometric means, worst and best cells, what failed, inputs
that take more than 1.6 times as long as uniform keys, and all cells in tables. It
takes only results of 'gpusort bench --json', plain or packed by gzip. A cell is
matched with peers that took turns with it in one run. Of a cell that was measured
again the later run counts.`,
		Example: "  gpusort bench experiments/demo.toml --json r.jsonl && gpusort report r.jsonl -o r.html\n" +
			"  gpusort report r.jsonl --figure list\n" +
			"  gpusort report r.jsonl --figure throughput-u32-keys -o throughput.png\n" +
			"  gpusort report cub.jsonl cub-large.jsonl --of auto --against cub-radix,cub-radix-db -o h200-cub.md",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(c, "report needs result files, as 'gpusort bench --json FILE' writes them")
			}
			return r.run(c, args)
		},
	}
	f := c.Flags()
	f.VarP((*fileValue)(&r.output), "output", "o", "write to `FILE`; - is standard output; default: report.html, or standard output\nfor a figure and with --against")
	f.StringVar(&r.figure, "figure", "", "write the figure of this `NAME`, or the first whose name begins so; list shows all")
	f.StringArrayVar(&r.only, "only", nil, "use only results with `AXIS=VALUES`, such as KeyT=[u32,u64] or Device=cpu; repeatable")
	f.StringSliceVar(&r.against, "against", nil, "judge one sort against the `PEERS` of the results with these names")
	f.StringVar(&r.of, "of", run.Auto, "the `SORT` that --against judges")
	f.BoolVar(&r.json, "json", false, "with --against: JSON, as for an -o FILE.json")
	f.StringVar(&r.title, "title", "", "heading of the page")
	f.Float64Var(&r.scale, "scale", 2, "pixels of a PNG for each of the figure's")
	return c
}

// filters reads --only.
func (r *reportCmd) filters() (out []filter, err error) {
	for _, text := range r.only {
		a, err := axes.Parse(text)
		if err != nil {
			return nil, err
		}
		if a.Pow2 {
			for i, v := range a.Values {
				a.Values[i] = "2^" + v
			}
		}
		keep, err := labreport.Filter(a.Name, a.Values)
		if err != nil {
			return nil, err
		}
		out = append(out, filter{a.Name, a.Values, keep, labreport.NoneHas(a.Name, a.Values)})
	}
	return out, nil
}

func (r *reportCmd) run(c *cobra.Command, files []string) error {
	only, err := r.filters()
	if err != nil {
		return err
	}
	switch changed := c.Flags().Changed; {
	case len(r.against) > 0 && r.figure != "":
		return usagef(c, "--against makes a page and --figure a figure: give one of them")
	case len(r.against) > 0:
		return r.writeGrid(c, files, only)
	case changed("of") || changed("json") || changed("against"):
		return usagef(c, "--of and --json need --against PEERS")
	}
	in, err := labreport.Read(files)
	if err != nil {
		return err
	}
	for _, f := range only {
		if err := in.Only(f.name, f.values); err != nil {
			return err
		}
	}
	if r.figure != "" {
		return r.writeFigure(c, in)
	}
	switch ext := strings.ToLower(filepath.Ext(r.output)); {
	case r.output == "":
		r.output = "report.html"
	case slices.Contains([]string{".svg", ".png", ".pdf"}, ext):
		return usagef(c, "-o %s: the page is HTML: name it so, or choose a figure with --figure", r.output)
	case slices.Contains([]string{".md", ".markdown", ".json"}, ext):
		return usagef(c, "-o %s: the page is HTML: name it so, or judge one sort with --against", r.output)
	case slices.Contains([]string{".csv", ".txt"}, ext):
		return usagef(c, "-o %s: the page is HTML: name it so", r.output)
	}
	err = r.writeTo(r.output, format.Text, func(w io.Writer) error { return labreport.Write(w, in, r.title) })
	if err != nil {
		return err
	}
	if r.output != "-" {
		fmt.Fprintf(r.err, "gpusort: wrote %s: open it in a browser\n", r.output)
	}
	return nil
}

func (r *reportCmd) writeFigure(c *cobra.Command, in labreport.Input) error {
	all := labreport.Figures(in)
	if r.figure == "list" {
		for _, f := range all {
			fmt.Fprintf(r.out, "%s\n", f.ID)
		}
		return nil
	}
	f, others, err := labreport.Find(all, r.figure)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		fmt.Fprintf(r.err, "gpusort: this is %s; %d more begin so, such as %s\n", f.ID, len(others), others[0])
	}
	kind, write := format.Text, f.Plot.WriteSVG
	ext := strings.ToLower(filepath.Ext(r.output))
	switch ext {
	case "", ".svg":
	case ".pdf":
		kind, write = format.Raw, f.Plot.WritePDF
	case ".png":
		kind, write = format.Raw, func(w io.Writer) error { return f.Plot.WritePNG(w, r.scale) }
		if !(r.scale >= 0.1 && r.scale <= 10) {
			return usagef(c, "--scale %g: from 0.1 to 10", r.scale)
		}
	default:
		return usagef(c, "-o %s: a figure is .svg, .pdf or .png", r.output)
	}
	return r.writeTo(r.output, kind, write)
}
