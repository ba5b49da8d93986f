package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cmd/internal/selftest"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
)

// tested is the self-test of one device with one algorithm.
type tested struct {
	Device    string  `json:"device"`
	Algorithm string  `json:"algorithm"`
	Cases     int     `json:"cases"`
	Failed    int     `json:"failed"`
	Skipped   int     `json:"skipped"` // types and modes that the algorithm or the device sorts no number of
	Seconds   float64 `json:"seconds"`
	Verdict   string  `json:"verdict"` // ok, partly supported, not supported, WRONG, UNUSABLE
	Why       string  `json:"why,omitempty"`
	sorted    int     // cases that passed and had work to do
	unusable  bool    // the device could not be tested at all
}

// verdict sums up. A case of fewer than two keys proves nothing.
func (r *tested) verdict() string {
	switch {
	case r.unusable:
		return "UNUSABLE"
	case r.Failed > 0:
		return "WRONG"
	case r.sorted == 0:
		return "not supported"
	case r.Skipped > 0:
		return "partly supported"
	}
	return "ok"
}

// trusted says whether nothing came out wrong and every device has at least
// one algorithm that works.
func trusted(results []tested) bool {
	works := map[string]bool{}
	for _, r := range results {
		works[r.Device] = works[r.Device] || r.sorted > 0
	}
	for _, r := range results {
		if r.Failed > 0 || r.unusable || !works[r.Device] {
			return false
		}
	}
	return true
}

func (a *app) selftestCommand() *cobra.Command {
	var device, algo string
	var asJSON bool
	c := &cobra.Command{
		Use:   "selftest [flags]",
		Short: "Test every device for correct results",
		Long: `Sort small and medium inputs of every key type, as keys, pairs and argsort, in
every order, on each device and with each algorithm that auto may choose, and do
the operations around sorting on the processor. Compare the results with references. An algorithm gets only sizes that it supports. Exit 1
if a result is wrong, or a device has no algorithm that works.`,
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
			if !trusted(results) {
				return negative{}
			}
			return nil
		},
	}
	c.Flags().StringVar(&device, "device", "all", "all, cpu, or an `ID` of 'gpusort devices'")
	c.Flags().StringVar(&algo, "algo", "", "one algorithm `NAME`, or all; 'gpusort algorithms' lists them")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	choicesOf(c, "algo", algoList)
	choicesOf(c, "device", func() []string { return append([]string{"all"}, deviceIDs()...) })
	return c
}

// selftestAll tests the device, or all of them.
func (a *app) selftestAll(ctx context.Context, device, algo string) ([]tested, error) {
	if algo != "all" {
		if err := checkAlgo(algo, device); err != nil {
			return nil, err
		}
	}
	list, err := gpusort.Devices()
	if err != nil {
		fmt.Fprintf(a.err, "gpusort: %v\n", err)
	}
	var out []tested
	for _, d := range list {
		if device != "all" && device != "auto" && device != d.ID {
			continue
		}
		for _, al := range algorithmsOf(d.Backend, algo == "") {
			if algo != "" && algo != "all" && algo != al {
				continue
			}
			r, err := a.selftestOne(ctx, d.ID, al)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
		if algo == "" || algo == "all" {
			r, err := testOperations(ctx, d.ID)
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

// algorithmsOf lists the algorithms that a backend has code for, all or those
// that auto may choose.
func algorithmsOf(backend string, auto bool) (out []string) {
	if backend == "cpu" {
		for i, h := range catalog.Hosts() {
			if i == 0 || !auto {
				out = append(out, h.Name)
			}
		}
		return out
	}
	for _, al := range catalog.Algorithms() {
		if auto && al.Study {
			continue
		}
		for _, b := range al.Backends {
			if b == backend {
				out = append(out, al.Name)
			}
		}
	}
	return out
}

// testOperations tests the operations around sorting, on a device those that it has code for.
func testOperations(ctx context.Context, device string) (tested, error) {
	start := time.Now()
	t, err := operationsOn(ctx, device)
	r := tested{Device: device, Algorithm: "operations", Cases: t.Cases, Failed: t.Failed, Skipped: t.Skipped, sorted: t.Cases - t.Failed, Seconds: time.Since(start).Seconds()}
	if t.First != nil {
		r.Why = t.First.Error()
	}
	r.Verdict = r.verdict()
	return r, err
}

func operationsOn(ctx context.Context, device string) (t ops.Tested, err error) {
	if device == "cpu" {
		return ops.SelfTest(ctx)
	}
	e, err := engine.New(engine.Config{Device: device})
	if err != nil {
		return t, err
	}
	t, err = ops.SelfTestOn(ctx, e)
	return t, errors.Join(err, e.Close())
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
		r.sorted += s.Sorted
		for _, why := range []error{s.First, s.Why} { // a failure says more than a gap
			if why != nil && (r.Why == "" || s.First != nil && r.Failed == s.Failed) {
				r.Why = why.Error()
				break
			}
		}
	})
	r.Seconds = time.Since(start).Seconds()
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err != nil {
		r.unusable, r.Why = true, err.Error()
	}
	r.Verdict = r.verdict()
	return r, nil
}

func (a *app) printSelftest(results []tested) {
	t := a.newTable(table.Row{"Device", "Algorithm", "Cases", "Failed", "Skipped", "Time", "Result"}, 3, 4, 5, 6)
	for _, r := range results {
		t.AppendRow(table.Row{r.Device, r.Algorithm, units.Count(r.Cases), units.Count(r.Failed), units.Count(r.Skipped),
			units.Duration(seconds(r.Seconds)), r.Verdict})
	}
	t.Render()
	for _, r := range results {
		if r.Why != "" {
			fmt.Fprintf(a.err, "gpusort: %s, %s: %s\n", r.Device, r.Algorithm, r.Why)
		}
	}
}
