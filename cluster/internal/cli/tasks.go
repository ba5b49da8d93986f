package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cluster"
)

// output adds -o, which has to be given.
func output(c *cobra.Command, to *string, what string) {
	c.Flags().StringVarP(to, "output", "o", "", what)
	c.MarkFlagRequired("output")
}

func splitters(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "splitters", "", "`URL` of what cut wrote")
	c.MarkFlagRequired("splitters")
}

func (a *app) sample() *cobra.Command {
	var o cluster.SampleOptions
	var order orderFlags
	var out string
	c := &cobra.Command{
		Use: "sample [flags] URL... -o WORK/sample.json", Short: "Find the inputs and read keys of some rows", Args: args(1, -1, "URLs of inputs"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if o.Order, err = order.order(); err != nil {
				return err
			}
			o.URLs = args
			s, err := a.host.Sample(c.Context(), o, out)
			if err != nil {
				return err
			}
			return a.report(report{Task: "sample", Manifest: out, Files: len(s.Files), Samples: len(s.Samples), Bytes: s.Size()})
		},
	}
	order.add(c)
	a.place(c.Flags())
	c.Flags().IntVar(&o.Samples, "samples", 0, fmt.Sprintf("about `N` keys (default %d)", cluster.DefaultSamples))
	output(c, &out, "`URL` of the sample")
	return c
}

func (a *app) cut() *cobra.Command {
	var o cluster.CutOptions
	var size sizeValue
	var out string
	c := &cobra.Command{
		Use: "cut [flags] SAMPLE... -o WORK/splitters.json", Short: "Choose the splitters", Args: args(1, -1, "URLs of samples"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Samples, o.RangeSize = args, int64(size)
			s, err := a.host.Cut(c.Context(), o, out)
			if err != nil {
				return err
			}
			return a.report(report{Task: "cut", Manifest: out, Ranges: s.Ranges, Files: len(s.Files), Bytes: s.Size()})
		},
	}
	rangeFlags(c, &o.Ranges, &size)
	output(c, &out, "`URL` of the splitters")
	return c
}

// rangeFlags say how many objects the output has.
func rangeFlags(c *cobra.Command, ranges *int, size *sizeValue) {
	c.Flags().IntVar(ranges, "ranges", 0, "`N` objects of output")
	c.Flags().Var(size, "range-size", "or about so much input for each, `SIZE` (default 1G)")
	c.MarkFlagsMutuallyExclusive("ranges", "range-size")
}

func (a *app) split() *cobra.Command {
	var o cluster.SplitOptions
	var work string
	c := &cobra.Command{
		Use: "split [flags] --task I --of T -o WORK/", Short: "Sort a share of the inputs to one run", Args: args(0, 0, "flags alone"),
		RunE: func(c *cobra.Command, _ []string) error {
			r, at, done, err := a.host.Split(c.Context(), o, work)
			if err != nil {
				return err
			}
			return a.report(report{Task: "split", Manifest: at, Rows: r.Rows, Bytes: r.Bytes, Sum: r.Sum, Done: done})
		},
	}
	splitters(c, &o.Splitters)
	c.Flags().IntVar(&o.Task, "task", 0, "number of the task, from 0")
	c.Flags().IntVar(&o.Of, "of", 1, "`T` tasks in all")
	a.place(c.Flags())
	output(c, &work, "`URL` of the folder of runs")
	return c
}

func (a *app) merge() *cobra.Command {
	var o cluster.MergeOptions
	var out string
	c := &cobra.Command{
		Use: "merge [flags] --range R --of T WORK/ -o OUT/", Short: "Merge one range of all runs to an object", Args: args(1, 1, "the folder of runs"),
		RunE: func(c *cobra.Command, args []string) error {
			p, at, done, err := a.host.Merge(c.Context(), o, args[0], out)
			if err != nil {
				return err
			}
			return a.report(report{Task: "merge", Manifest: at, Rows: p.Rows, Bytes: p.Size, Sum: p.Sum, Done: done})
		},
	}
	splitters(c, &o.Splitters)
	c.Flags().IntVar(&o.Range, "range", 0, "number of the range, from 0")
	c.Flags().IntVar(&o.Of, "of", 1, "`T` tasks split")
	a.place(c.Flags())
	output(c, &out, "`URL` of the folder of the output")
	return c
}

func (a *app) finish() *cobra.Command {
	var o cluster.MergeOptions
	var out string
	c := &cobra.Command{
		Use: "finish [flags] --of T WORK/ -o OUT/", Short: "Write the final manifest if nothing was lost", Args: args(1, 1, "the folder of runs"),
		RunE: func(c *cobra.Command, args []string) error {
			m, at, err := a.host.Finish(c.Context(), o, args[0], out)
			if err != nil {
				return err
			}
			return a.report(report{Task: "finish", Manifest: at, Ranges: len(m.Objects), Rows: m.Rows, Bytes: m.Bytes, Sum: m.Sum, Objects: m.Objects})
		},
	}
	splitters(c, &o.Splitters)
	c.Flags().IntVar(&o.Of, "of", 1, "`T` tasks split")
	output(c, &out, "`URL` of the folder of the output")
	return c
}

func (a *app) clean() *cobra.Command {
	return &cobra.Command{
		Use: "clean WORK/ [OUT/]", Short: "Remove what a sort left", Args: args(1, 2, "the folder of runs, and perhaps that of the output"),
		RunE: func(c *cobra.Command, args []string) error {
			cleaned, err := a.host.Clean(c.Context(), args[0], append(args, "")[1])
			if err != nil {
				return err
			}
			return a.report(report{Task: "clean", Files: cleaned.Objects + cleaned.Uploads})
		},
	}
}

func (a *app) verify() *cobra.Command {
	c := &cobra.Command{
		Use: "verify OUT/manifest.json", Short: "Check that an output is in order and whole", Args: args(1, 1, "the URL of a final manifest"),
		RunE: func(c *cobra.Command, args []string) error {
			v, err := a.host.Verify(c.Context(), args[0])
			if err != nil {
				return err
			}
			if v.Wrong != "" {
				fmt.Fprintf(a.err, "gpusort-cluster: %s\n", v.Wrong)
				return errNo
			}
			return a.report(report{Task: "verify", Manifest: args[0], Rows: v.Rows, Sum: v.Sum})
		},
	}
	a.place(c.Flags())
	return c
}
