package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/calibrate"
	"github.com/gpusort/gpusort/internal/engine/crossover"
)

type tuneCmd struct {
	*app
	most         sizeValue
	show, forget bool
	check        bool
	json         bool
}

// leastTuned is the least --max-bytes: the sizes below are the processor's anyway.
const leastTuned = 4 << 10

func (a *app) tuneCommand() *cobra.Command {
	d := &tuneCmd{app: a, most: 1 << 30}
	c := &cobra.Command{
		Use:   "tune [flags]",
		Short: "Measure from which size on a device is faster than the CPU",
		Long: `Sort 2^4 and more keys in host memory, on the CPU and on every device that auto
may use: keys, pairs and positions of every width, and positions of random strings
of 24 bytes, transfers included. The times are kept in the user's cache directory,
or in $GPUSORT_CACHE. From then on auto chooses by them instead of by a model.
Tuning takes half a minute to a minute; run it on an idle machine. Repeat it after a
change of hardware, driver or gpusort.

With --check nothing is kept. Auto, the CPU and every device take turns to sort the
same host memory: u32 and u64 keys, 2^4, 2^6 … 2^28 of them (u64 to 2^26,
with the default --max-bytes). The table says how much longer auto took than the
fastest of the others.`,
		Example: "  gpusort tune\n  gpusort tune --show\n  gpusort tune --check --max-bytes 2GiB\n  gpusort tune --max-bytes 256MiB --json",
		Args:    atMost(0),
		RunE:    func(c *cobra.Command, _ []string) error { return d.run(c) },
	}
	c.Flags().Var(&d.most, "max-bytes", "most `BYTES` of one sort; twice as much memory is used")
	c.Flags().BoolVar(&d.show, "show", false, "show what was measured before, and measure nothing")
	c.Flags().BoolVar(&d.forget, "forget", false, "remove what was measured before, and measure nothing")
	c.Flags().BoolVar(&d.check, "check", false, "time auto against the CPU and every device, and keep nothing")
	c.Flags().BoolVar(&d.json, "json", false, "print all times as JSON")
	return c
}

func (d *tuneCmd) run(c *cobra.Command) error {
	path, err := crossover.Path()
	switch {
	case d.check && (d.show || d.forget):
		return usagef(c, "--check excludes --show and --forget")
	case d.check && uint64(d.most) >= leastTuned:
		return d.checkAuto(c.Context())
	case err != nil:
		return fmt.Errorf("tune: %w", err)
	case d.show && d.forget:
		return usagef(c, "--show and --forget exclude one another")
	case d.forget:
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("tune: %w", err)
		}
		return nil
	case d.show:
		t, err := crossover.Load()
		if err != nil {
			return err
		}
		if t == nil {
			return errors.New("nothing was measured with this version: run 'gpusort tune'")
		}
		return d.print(t)
	case uint64(d.most) < leastTuned:
		return usagef(c, "--max-bytes %d: at least 4KiB are needed", uint64(d.most))
	}
	if err := d.room(); err != nil {
		return err
	}
	t, err := d.measure(c.Context())
	if t == nil {
		return err
	}
	if err != nil {
		fmt.Fprintf(d.err, "gpusort: %v\n", err)
	}
	if _, err := t.Save(); err != nil {
		return err
	}
	if err := d.print(t); err != nil || d.json {
		return err
	}
	fmt.Fprintf(d.out, "kept in %s\n", path)
	return nil
}

// room checks that there is memory for the longest sort.
func (d *tuneCmd) room() error {
	if err := room.For(uint64(d.most), 2); err != nil {
		return fmt.Errorf("--max-bytes %d: %w", uint64(d.most), err)
	}
	return nil
}

// measure fills the table, with a bar of the curves that are done.
func (d *tuneCmd) measure(ctx context.Context) (*crossover.Table, error) {
	p := d.newProgress()
	defer p.close()
	return calibrate.Run(ctx, calibrate.Options{MostBytes: uint64(d.most), Progress: p.counted("tuning")})
}

// counted shows a bar of what is done of a number that the first call tells.
func (p *progress) counted(name string) func(done, total int, what string) {
	var step func(int64)
	return func(_, total int, _ string) {
		if step == nil {
			step = p.phaseOf(name, int64(total), countUnit)
		}
		step(1)
	}
}

func (d *tuneCmd) print(t *crossover.Table) error {
	if d.json {
		return printJSON(d.out, t)
	}
	when := t.Date
	if at, err := time.Parse(time.RFC3339, t.Date); err == nil {
		when = at.Local().Format("2006-01-02 15:04")
	}
	fmt.Fprintf(d.out, "measured %s\n", when)
	for _, m := range t.Devices {
		fmt.Fprintf(d.out, "%-8s %s\n", m.ID, m.Name)
	}
	const small, large = 1 << 16, 1 << 24
	guessed := false
	head := table.Row{"Width", "Mode", "Device from"}
	right := []int{1, 3}
	for i, m := range t.Devices {
		head = append(head, m.ID+" 2^16", m.ID+" 2^24")
		right = append(right, 4+2*i, 5+2*i)
	}
	w := d.newTable(head, right...)
	for _, c := range t.Devices[0].Curves {
		mode := c.Mode.String()
		if c.ValueBytes != 0 {
			mode += fmt.Sprintf("/%d", c.ValueBytes)
		}
		from := "never"
		if n, ok := t.Crossing(c.Kind); ok {
			from = units.Count(n)
		}
		row := table.Row{fmt.Sprintf("%d bits", c.Bits), mode, from}
		if c.Texts {
			row[0], row[1] = "strings", "argsort"
		}
		for _, m := range t.Devices {
			for _, n := range []uint64{small, large} {
				cell, measured := tuned(m, c.Kind, n)
				guessed = guessed || !measured
				row = append(row, cell)
			}
		}
		w.AppendRow(row)
	}
	w.Render()
	if guessed {
		fmt.Fprintf(d.out, "%s: not measured, but worked out from the nearest sizes that were\n", guess)
	}
	return nil
}

// guess marks a time that was not measured.
const guess = "~"

// tuned is the time of a sort as the table shows it, and whether nothing in it is worked out.
func tuned(m crossover.Measured, k crossover.Kind, n uint64) (cell string, measured bool) {
	for _, c := range m.Curves {
		s, ok := c.At(n)
		if c.Kind != k || !ok {
			continue
		}
		cell = units.Duration(seconds(s))
		if !slices.ContainsFunc(c.Points, func(p crossover.Point) bool { return p.Items == n }) {
			return guess + cell, false
		}
		return cell, true
	}
	return "–", true
}
