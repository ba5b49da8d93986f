package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/internal/format"
	"github.com/gpusort/gpusort/internal/lab/axes"
	labreport "github.com/gpusort/gpusort/internal/lab/report"
)

type reportCmd struct {
	*app
	output, figure, title string
	only                  []string
	scale                 float64
}

func (a *app) reportCommand() *cobra.Command {
	r := &reportCmd{app: a}
	c := &cobra.Command{
		Use:   "report RESULTS... [flags]",
		Short: "Turn results into a page or a figure",
		Long: `Make one HTML file of benchmark results: who is fastest where, throughput over
size, kinds of input, entropy, launch geometry, roofline, steps, samples,
environment and the data themselves. It needs no network and no JavaScript.

RESULTS are files of 'gpusort bench --json', 'gpusort profile --json' and
'gpusort profile --record', any number of each. With --figure, a single figure
is written as SVG or PNG instead.`,
		Example: "  gpusort bench experiments/demo.toml --json r.jsonl && gpusort report r.jsonl -o r.html\n" +
			"  gpusort report r.jsonl --figure list\n" +
			"  gpusort report r.jsonl --figure throughput-u32-keys -o throughput.png",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(c, "report needs result files, as 'gpusort bench --json FILE' writes them")
			}
			return r.run(c, args)
		},
	}
	f := c.Flags()
	f.StringVarP(&r.output, "output", "o", "", "write to `FILE`; - is standard output; default: report.html, or standard output for a figure")
	f.StringVar(&r.figure, "figure", "", "write the figure of this `NAME`, or the first whose name begins so; list shows all")
	f.StringArrayVar(&r.only, "only", nil, "use only results with `AXIS=VALUES`, such as KeyT=[u32,u64] or Device=cpu; repeatable")
	f.StringVar(&r.title, "title", "", "heading of the page")
	f.Float64Var(&r.scale, "scale", 2, "pixels of a PNG for each of the figure's")
	return c
}

func (r *reportCmd) run(c *cobra.Command, files []string) error {
	in, err := labreport.Read(files)
	if err != nil {
		return err
	}
	for _, text := range r.only {
		a, err := axes.Parse(text)
		if err != nil {
			return err
		}
		if a.Pow2 {
			for i, v := range a.Values {
				a.Values[i] = "2^" + v
			}
		}
		if err := in.Only(a.Name, a.Values); err != nil {
			return err
		}
	}
	if r.figure != "" {
		return r.writeFigure(c, in)
	}
	if r.output == "" {
		r.output = "report.html"
	}
	out, err := r.create(r.output, format.Text)
	if err != nil {
		return err
	}
	defer out.discard()
	if err := labreport.Write(out, in, r.title); err != nil {
		return err
	}
	if err := out.commit(); err != nil {
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
	kind := format.Text
	ext := strings.ToLower(filepath.Ext(r.output))
	switch ext {
	case "", ".svg":
	case ".png":
		kind = format.Raw
		if !(r.scale >= 0.1 && r.scale <= 10) {
			return usagef(c, "--scale %g: from 0.1 to 10", r.scale)
		}
	default:
		return usagef(c, "-o %s: a figure is .svg or .png", r.output)
	}
	out, err := r.create(r.output, kind)
	if err != nil {
		return err
	}
	defer out.discard()
	if ext == ".png" {
		err = f.Plot.WritePNG(out, r.scale)
	} else {
		err = f.Plot.WriteSVG(out)
	}
	if err != nil {
		return err
	}
	return out.commit()
}
