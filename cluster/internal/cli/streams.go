package cli

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cluster"
)

// streams are the commands that data go through.
func (a *app) streams() []*cobra.Command {
	var file, samples int
	var at, column string
	one := func(use, short string, run func(c *cobra.Command, o cluster.Order, out io.Writer) error) *cobra.Command {
		var order orderFlags
		c := &cobra.Command{Use: use, Short: short, Args: args(0, 0, "flags alone")}
		c.RunE = func(c *cobra.Command, _ []string) error {
			o, err := order.order()
			if err != nil {
				return err
			}
			if o.By == "" {
				return usageError{fmt.Errorf("%s: say by --by which columns order the rows", c.Name())}
			}
			out := bufio.NewWriterSize(a.out, 256<<10)
			if err := run(c, o, out); err != nil {
				return err
			}
			return out.Flush()
		}
		order.add(c)
		a.place(c.Flags())
		return c
	}
	sample := one("stream-sample [flags] --by COLUMNS", "Sample an Arrow stream", func(c *cobra.Command, o cluster.Order, out io.Writer) error {
		return a.host.StreamSample(c.Context(), o, file, samples, a.in, out)
	})
	sample.Flags().IntVar(&samples, "samples", 0, "at most `N` keys")
	rng := one("stream-range [flags] --by COLUMNS --splitters FILE", "Add the range of each row to an Arrow stream", func(c *cobra.Command, o cluster.Order, out io.Writer) error {
		return a.host.StreamRange(c.Context(), o, at, file, column, a.in, out)
	})
	splitters(rng, &at)
	rng.Flags().StringVar(&column, "column", "gpusort_range", "`NAME` of the column")
	for _, c := range []*cobra.Command{sample, rng} {
		c.Flags().IntVar(&file, "file", 0, "number `P` of the partition")
	}
	return []*cobra.Command{sample, rng, one("stream-sort [flags] --by COLUMNS", "Sort an Arrow stream", func(c *cobra.Command, o cluster.Order, out io.Writer) error {
		return a.host.StreamSort(c.Context(), o, a.in, out)
	})}
}
