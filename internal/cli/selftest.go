package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/catalog"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/selftest"
	"github.com/gpusort/gpusort/internal/units"
)

// tested is the self-test of one device with one algorithm.
type tested struct {
	Device    string  `json:"device"`
	Algorithm string  `json:"algorithm"`
	Cases     int     `json:"cases"`
	Failed    int     `json:"failed"`
	Skipped   int     `json:"skipped"` // not supported by the algorithm or the device
	Seconds   float64 `json:"seconds"`
	First     string  `json:"first_failure,omitempty"`
	err       error   // the device could not be tested at all
}

func (a *app) selftestCommand() *cobra.Command {
	var device, algo string
	var asJSON bool
	c := &cobra.Command{
		Use:   "selftest [flags]",
		Short: "Test every device for correct results",
		Long: `Sort small and medium inputs of every key type, as keys, pairs and argsort, in
every order, on each device and with each of its algorithms, and compare with
references. Exit 1 if a result is wrong or a device cannot be used.`,
		Example: "  gpusort selftest\n  gpusort selftest --device opencl:0",
		Args:    atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			results, err := a.selftestAll(c.Context(), device, algo)
			if err != nil {
				return err
			}
			if asJSON {
				if err := printJSON(a.out, results); err != nil {
					return err
				}
			} else {
				a.printSelftest(results)
			}
			for _, r := range results {
				if r.Failed > 0 || r.err != nil {
					return negative{}
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&device, "device", "all", "all, cpu, or an `ID` of 'gpusort devices'")
	c.Flags().StringVar(&algo, "algo", "", "one algorithm `NAME` instead of all")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	choices(c, "algo", algoList())
	_ = c.RegisterFlagCompletionFunc("device", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return append([]string{"all"}, deviceIDs()...), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

// selftestAll tests the device, or all of them.
func (a *app) selftestAll(ctx context.Context, device, algo string) ([]tested, error) {
	list, err := gpusort.Devices()
	if err != nil {
		fmt.Fprintf(a.err, "gpusort: %v\n", err)
	}
	var out []tested
	for _, d := range list {
		if device != "all" && device != "auto" && device != d.ID {
			continue
		}
		for _, al := range algorithmsOf(d.Backend) {
			if algo != "" && algo != al {
				continue
			}
			r, err := a.selftestOne(ctx, d.ID, al)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		s, err := gpusort.New(gpusort.WithDevice(device), gpusort.WithAlgorithm(algo))
		if err != nil {
			return nil, err // says what is known
		}
		return nil, errors.Join(fmt.Errorf("nothing to test on %q with algorithm %q", device, algo), s.Close())
	}
	return out, nil
}

// algorithmsOf lists the algorithms that a backend has code for.
func algorithmsOf(backend string) (out []string) {
	if backend == "cpu" {
		for _, h := range catalog.Hosts() {
			out = append(out, h.Name)
		}
		return out
	}
	for _, al := range catalog.Algorithms() {
		for _, b := range al.Backends {
			if b == backend {
				out = append(out, al.Name)
			}
		}
	}
	return out
}

func (a *app) selftestOne(ctx context.Context, device, algo string) (tested, error) {
	r := tested{Device: device, Algorithm: algo}
	open := func(o key.Order) (*gpusort.Sorter, error) {
		f := deviceFlags{device: device, algo: algo}
		return f.open(o)
	}
	start := time.Now()
	err := selftest.Run(ctx, open, func(s selftest.Result) {
		r.Cases, r.Failed, r.Skipped = r.Cases+s.Cases, r.Failed+s.Failed, r.Skipped+s.Skipped
		if r.First == "" && s.First != nil {
			r.First = s.First.Error()
		}
	})
	r.Seconds = time.Since(start).Seconds()
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err != nil {
		r.err, r.First = err, err.Error()
	}
	return r, nil
}

func (a *app) printSelftest(results []tested) {
	t := a.newTable(table.Row{"Device", "Algorithm", "Cases", "Failed", "Skipped", "Time", "Result"}, 3, 4, 5, 6)
	for _, r := range results {
		verdict := "ok"
		if r.Failed > 0 {
			verdict = "WRONG"
		} else if r.err != nil {
			verdict = "UNUSABLE"
		} else if r.Skipped == r.Cases {
			verdict = "not supported"
		}
		t.AppendRow(table.Row{r.Device, r.Algorithm, units.Count(r.Cases), units.Count(r.Failed), units.Count(r.Skipped),
			units.Duration(seconds(r.Seconds)), verdict})
	}
	t.Render()
	for _, r := range results {
		if r.First != "" {
			fmt.Fprintf(a.err, "gpusort: %s, %s: %s\n", r.Device, r.Algorithm, r.First)
		}
	}
}
