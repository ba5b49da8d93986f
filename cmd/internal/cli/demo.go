package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
)

// demoRuns is how often each device sorts: the first run pays for its start.
const demoRuns = 3

type demoCmd struct {
	*app
	n      sizeValue
	dist   string
	device string
}

func (a *app) demoCommand() *cobra.Command {
	d := &demoCmd{app: a, n: 50e6}
	c := &cobra.Command{
		Use:   "demo [flags]",
		Short: "Generate, sort and verify 50 million keys",
		Long: `Generate u64 keys in memory, sort them on the CPU and on every other device present,
and verify the results. Print device, algorithm, time and rate, and which was
fastest. Times are of the whole call, transfers included.`,
		Example: "  gpusort demo\n  gpusort demo --n 1G --dist zipf",
		Args:    atMost(0),
		RunE:    func(c *cobra.Command, _ []string) error { return d.run(c.Context()) },
	}
	c.Flags().Var(&d.n, "n", "number of keys")
	c.Flags().StringVar(&d.dist, "dist", "uniform", "distribution `NAME` of 'gpusort gen --list'")
	c.Flags().StringVar(&d.device, "device", "auto", "`ID` of the device to show beside the CPU; auto: all")
	distChoices(c, "dist")
	return c
}

// demoPart is the number of keys that are generated between two looks at the
// context: a multiple of dist.BlockItems.
const demoPart = 1 << 22

func (d *demoCmd) run(ctx context.Context) error {
	row, err := dist.Find(d.dist)
	if err != nil {
		return err
	}
	if s, err := gpusort.New(gpusort.WithDevice(d.device)); err != nil {
		return err // before the keys are made
	} else if err := s.Close(); err != nil {
		return err
	}
	if err := room.For(uint64(d.n), 2*8); err != nil {
		return fmt.Errorf("--n %s: %w", d.n.String(), err)
	}
	in := make([]uint64, d.n)
	start := time.Now()
	for lo := 0; lo < len(in); lo += demoPart {
		if err := ctx.Err(); err != nil {
			return err
		}
		dist.FillPart(in[lo:min(lo+demoPart, len(in))], uint64(lo), uint64(len(in)), row, key.U64, 1)
	}
	fmt.Fprintf(d.out, "%s u64 keys (%s), %s, generated in %s\n", units.Count(len(in)), row.Name,
		units.Bytes(uint64(len(in))*8), units.Duration(time.Since(start)))
	want := verify.Multiset(in)
	out := make([]uint64, len(in))
	t := d.newTable(table.Row{"Device", "Algorithm", "First", "Best of 3", "Rate", "Device only", "Result"}, 3, 4, 5, 6)
	wrong := false
	fastest := measured{}
	for _, device := range d.devices() {
		r, err := d.measure(ctx, device, in, out, want)
		if err != nil {
			return err
		}
		only := "-"
		if r.deviceTime > 0 {
			only = units.Rate(uint64(len(in)), r.deviceTime, "keys")
		}
		t.AppendRow(table.Row{r.device, r.algorithm, units.Duration(r.first), units.Duration(r.best),
			units.Rate(uint64(len(in)), r.best, "keys"), only, r.verdict})
		wrong = wrong || r.verdict != "verified"
		if r.fallback != "" {
			fmt.Fprintf(d.err, "gpusort: sorted on the CPU instead: %s\n", r.fallback)
		}
		if fastest.best == 0 || r.best < fastest.best {
			fastest = r
		}
	}
	t.Render()
	if wrong {
		return negative{}
	}
	fmt.Fprintf(d.out, "Fastest here: %s with %s, %s.\n", fastest.device, fastest.algorithm,
		units.Rate(uint64(len(in)), fastest.best, "keys"))
	return nil
}

// devices lists what to show: the device asked for, else every accelerator,
// and the CPU beside it.
func (d *demoCmd) devices() (ids []string) {
	if d.device != "auto" && d.device != "cpu" {
		return []string{d.device, "cpu"}
	}
	if all, err := gpusort.Devices(); err == nil && d.device == "auto" {
		for _, dev := range all {
			if !dev.HostProcessor && dev.Backend != "cpu" {
				ids = append(ids, dev.ID)
			}
		}
	}
	return append(ids, "cpu")
}

// measured is one row of the demonstration.
type measured struct {
	device, algorithm, fallback, verdict string
	first, best, deviceTime              time.Duration
}

func (d *demoCmd) measure(ctx context.Context, device string, in, out []uint64, want verify.Digest) (m measured, err error) {
	s, err := gpusort.New(gpusort.WithDevice(device))
	if err != nil {
		return m, err
	}
	defer s.Close()
	m.verdict = "verified"
	for i := range demoRuns {
		copy(out, in)
		if err := gpusort.SortWith(ctx, s, out); err != nil {
			return m, err
		}
		if err := ctx.Err(); err != nil {
			return m, err // verifying takes longer than sorting did
		}
		r := s.Last()
		if i == 0 {
			m.first, m.best = r.Elapsed, r.Elapsed
		}
		m.best = min(m.best, r.Elapsed)
		m.device, m.algorithm, m.fallback, m.deviceTime = r.Device, r.Algorithm, r.Fallback, r.DeviceTime
		if at := verify.FirstDisorder(out, key.CodecUnsigned); at >= 0 {
			m.verdict = fmt.Sprintf("DISORDER at %d", at)
		} else if verify.Multiset(out) != want {
			m.verdict = "OTHER KEYS"
		}
	}
	return m, nil
}
