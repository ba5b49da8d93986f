package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/cmd/lab/trace"
)

type profileCmd struct {
	*app
	axes    []string
	devices []string
	runs    int
	seed    uint64
	trace   string
	record  string
	json    bool
	plain   bool
}

func (a *app) profileCommand() *cobra.Command {
	p := &profileCmd{app: a}
	c := &cobra.Command{
		Use:   "profile [flags]",
		Short: "Show where the time of a sort goes",
		Long: `Time every step of a sort on a device. Show the bytes that each step must at least
move, and their rate as a share of the copy bandwidth that the same run measures.
Registers, shared memory and theoretical occupancy come from the driver; no
profiler is needed. Where Nsight Compute (ncu) is installed, its counters of each
CUDA kernel are shown too; for sorts on the CPU, perf's. Axes are those of 'gpusort
bench'.`,
		Example: "  gpusort profile -a Algo=onesweep -a 'Elements[pow2]=28'\n" +
			"  gpusort profile -a Algo=radix-lsd -d opencl:0 --trace out.json   # open it in ui.perfetto.dev\n" +
			"  gpusort profile -a Algo=radix-4way -a Elements=256 --record steps.json",
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return p.run(c) },
	}
	f := c.Flags()
	f.StringArrayVarP(&p.axes, "axis", "a", nil, "`AXIS`: NAME=[a,b] or NAME[pow2]=[start:stop:step]; repeatable")
	f.StringSliceVarP(&p.devices, "device", "d", nil, "`IDs`: all, cuda:0, opencl:0, or CUDA's numbers; default: the first device")
	f.IntVar(&p.runs, "runs", 10, "measured runs; times are medians")
	f.Uint64Var(&p.seed, "seed", 1, "seed of the input")
	f.Var((*fileValue)(&p.trace), "trace", "write a timeline in Chrome's trace format to `FILE`")
	f.Var((*fileValue)(&p.record), "record", "halt small sorts after every step and write what the memory held to `FILE`,\nfor the animation of 'gpusort report'; measures nothing")
	f.BoolVar(&p.json, "json", false, "print as JSON")
	f.BoolVar(&p.plain, "no-counters", false, "do not run Nsight Compute (ncu) or perf, also where they are installed")
	return c
}

func (p *profileCmd) run(c *cobra.Command) error {
	if p.runs < 1 {
		return usagef(c, "--runs %d: at least one", p.runs)
	}
	set, err := axes.ParseSet(p.axes)
	if err != nil {
		return err
	}
	j, err := run.New(run.Options{
		Axes: set, Devices: p.devices, Rule: sample.Default, Seed: p.seed, Command: commandLine(c, nil),
		Emit: func(result.Record) error { return nil },
	})
	if err != nil {
		return err
	}
	defer j.Close()
	if p.record != "" {
		all, err := j.Record(c.Context())
		if err != nil {
			return err
		}
		return p.writeRecording(all)
	}
	all, err := j.Profile(c.Context(), p.runs, !p.plain)
	if err != nil {
		return err
	}
	// The tool profiles a process of its own, which needs the device's memory.
	j.Close()
	if !p.plain {
		if err := p.nsight(c.Context(), all); err != nil {
			return err
		}
	}
	if p.trace != "" {
		if err := p.writeTrace(all); err != nil {
			return err
		}
	}
	if p.json {
		err = printJSON(p.out, all)
	} else {
		p.print(all)
	}
	if err != nil {
		return err
	}
	for _, x := range all {
		if x.Status == string(result.Failed) {
			return negative{}
		}
	}
	return nil
}

func (p *profileCmd) writeTrace(all []run.Profile) error {
	var spans []trace.Span
	for _, x := range all {
		for _, s := range x.Spans {
			s.Process = x.Case + " " + s.Process
			spans = append(spans, s)
		}
	}
	return p.writeTo(p.trace, format.Text, func(w io.Writer) error { return trace.Write(w, spans) })
}

func (p *profileCmd) writeRecording(all []run.Recording) error {
	return p.writeTo(p.record, format.Text, func(w io.Writer) error { return json.NewEncoder(w).Encode(all) })
}

func (p *profileCmd) print(all []run.Profile) {
	for i, x := range all {
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		if x.Status != string(result.OK) {
			fmt.Fprintf(p.out, "%s: %s: %s\n", x.Case, x.Status, x.Reason)
			continue
		}
		if len(x.Steps) == 0 {
			p.printHost(x)
			continue
		}
		p.printOne(x)
	}
}

// printHost shows a host sort's counters, per sort and per element.
func (p *profileCmd) printHost(x run.Profile) {
	fmt.Fprintf(p.out, "%s on %s (%s): %s, %.4g Melem/s\n", x.Case, x.Cell.DeviceID, x.Env.CPU,
		result.Duration(float64(x.NS)), 1e3*float64(x.Cell.Items)/float64(max(x.NS, 1)))
	if x.NoCounters != "" {
		fmt.Fprintf(p.out, "no counters: %s\n", x.NoCounters)
		return
	}
	t := p.newTable(table.Row{"counter", "per sort", "per element"}, 2, 3)
	var missing []string
	for _, c := range x.Counters {
		if c.Missing != "" {
			missing = append(missing, c.Event+" ("+c.Missing+")")
			continue
		}
		per := c.Value / float64(max(x.Cell.Items, 1))
		row := table.Row{c.Event, fmt.Sprintf("%.6g", c.Value), fmt.Sprintf("%.4g", per)}
		if c.Event == "task-clock" {
			row[1], row[2] = result.Duration(1e6*c.Value), result.Duration(1e6*per)
		}
		t.AppendRow(row)
	}
	t.Render()
	if missing != nil {
		fmt.Fprintf(p.out, "not there: %s\n", strings.Join(missing, ", "))
	}
}

func (p *profileCmd) printOne(x run.Profile) {
	fmt.Fprintf(p.out, "%s on %s (%s)\n", x.Case, x.Cell.DeviceID, x.Env.Device)
	t := p.newTable(table.Row{"step", "time", "share", "moves", "GB/s", "of copy", "blocks × threads", "regs", "shared", "spills", "occupancy"}, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	var sum int64
	for _, s := range x.Steps {
		sum += s.NS
	}
	for _, s := range x.Steps {
		row := table.Row{s.Label, result.Duration(float64(s.NS)), fmt.Sprintf("%.1f%%", 100*share(s.NS, sum)),
			units.Bytes(s.MinBytes), result.Bandwidth(s.GBps()), percentOf(s.GBps(), x.CopyGBps)}
		if s.Op == "launch" {
			row = append(row, fmt.Sprintf("%d × %d", s.Grid, s.Threads), orDash(s.Registers), orDash(s.SharedBytes), orDash(s.LocalBytes), occupied(s))
		}
		t.AppendRow(row)
	}
	t.Render()
	gbps := 0.0
	if x.NS > 0 {
		gbps = float64(x.MinBytes) / float64(x.NS)
	}
	fmt.Fprintf(p.out, "sort %s, %.4g Melem/s, moves at least %s: %s GB/s, %s of the copy bandwidth of %s GB/s\n",
		result.Duration(float64(x.NS)), 1e3*float64(x.Cell.Items)/float64(max(x.NS, 1)), units.Bytes(x.MinBytes), result.Bandwidth(gbps), percentOf(gbps, x.CopyGBps), result.Bandwidth(x.CopyGBps))
	p.printKernels(x)
	fmt.Fprintf(p.out, "upload %s, download %s\n", transfer(x.Upload), transfer(x.Download))
	if c := x.Clocks; c != nil {
		fmt.Fprintf(p.out, "clocks: SM %d MHz, memory %d MHz, %.0f W, %d °C %v\n", c.SMMHz, c.MemoryMHz, c.PowerW, c.TempC, c.Throttle)
	}
}

func share(part, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

func percentOf(v, of float64) string {
	if of <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f%%", 100*v/of)
}

func orDash(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

func occupied(s run.StepProfile) string {
	if s.Occupancy == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f%% (%s), %.1f waves", 100*s.Occupancy.Share, s.Occupancy.Limiter, s.Occupancy.Waves)
}

func transfer(t run.TransferProfile) string {
	if t.NS == 0 {
		return "–"
	}
	return fmt.Sprintf("%s (%.1f GB/s)", result.Duration(float64(t.NS)), float64(t.Bytes)/float64(t.NS))
}
