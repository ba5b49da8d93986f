package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/experiment"
	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
	"github.com/gpusort/gpusort/cmd/lab/sample"
)

type benchCmd struct {
	*app
	axes      []string
	devices   []string
	peers     []string
	rule      sample.Rule
	seed      uint64
	workers   int
	warm      bool
	graph     bool
	hostClock bool
	list      bool
	dryRun    bool
	small     bool
	noSmall   bool // an experiment has no [[small]] run
	stop      time.Duration
	resume    bool

	json, csv, md, gobench string
	command                string
}

func (a *app) benchCommand() *cobra.Command {
	b := &benchCmd{app: a, rule: sample.Default}
	c := &cobra.Command{
		Use:   "bench [EXPERIMENT.toml...] [flags]",
		Short: "Measure sorts beside each other",
		Long: "Measure sorts on one clock, on the same input, in turns. Each output is verified;\n" +
			"a wrong one fails its cell. Every combination of the axes is a cell; one that an\n" +
			"algorithm cannot run is listed with the reason. Devices are timed between two\n" +
			"events (kernel time), and end to end with transfers from page-locked memory.\n\nAxes:\n" + axisHelp() +
			"\nPeers (CUB, Thrust, std::sort, vqsort) come from libraries built by 'make\nbaselines' and named by --peers or " + peer.EnvPeers + ".",
		Example: "  gpusort bench experiments/demo.toml\n" +
			"  gpusort bench -a 'Algo=[onesweep,cub-radix]' -a 'KeyT=[u32,u64]' -a 'Elements[pow2]=[16:28:4]' -d cuda:0 --json r.jsonl\n" +
			"  gpusort bench -a 'Entropy=[1.000,0.544]' -d cpu --go - | benchstat /dev/stdin",
		RunE: func(c *cobra.Command, args []string) error { return b.main(c, args) },
	}
	f := c.Flags()
	f.StringArrayVarP(&b.axes, "axis", "a", nil, "`AXIS`: NAME=[a,b] or NAME[pow2]=[start:stop:step]; repeatable")
	f.StringSliceVarP(&b.devices, "device", "d", nil, "`IDs`: cpu, all, devices (all but cpu), cuda:0, opencl:0,\nCUDA's numbers; cuda:all or cuda:0+cuda:2 sort together;\ndefault: the first device")
	f.StringArrayVar(&b.peers, "peers", nil, "`PATHS` of libraries of sorters, as "+peer.EnvPeers+" takes them, which is the default")
	f.DurationVar(&b.rule.Timeout, "timeout", b.rule.Timeout, "most time for the samples of one cell")
	f.Float64Var(&b.rule.Noise, "max-noise", b.rule.Noise, "sample until the median's 95 % interval is within this share")
	f.IntVar(&b.rule.Min, "min-samples", b.rule.Min, "least samples of a cell")
	f.IntVar(&b.rule.Max, "max-samples", b.rule.Max, "most samples of a cell")
	f.IntVar(&b.rule.WarmUp, "warm-up", b.rule.WarmUp, "runs before the samples")
	f.Uint64Var(&b.seed, "seed", 1, "seed of the inputs")
	f.IntVar(&b.workers, "parallel", 0, "`N` threads of host sorts; 0: one per processor")
	f.BoolVar(&b.warm, "warm", false, "do not flush the device's L2 cache before each sample")
	f.BoolVar(&b.graph, "graph", false, "run device sorts as one captured graph")
	f.BoolVar(&b.hostClock, "host-clock", false, "time sorts of device memory by the host's clock: from the call to the\nend of the wait, the device idle before")
	f.Var((*fileValue)(&b.json), "json", "append records as JSON lines to `FILE`; - is standard output")
	f.Var((*fileValue)(&b.csv), "csv", "write a CSV table to `FILE`")
	f.Var((*fileValue)(&b.md), "md", "write a Markdown table to `FILE`")
	f.Var((*fileValue)(&b.gobench), "go", "write Go benchmark format, for benchstat, to `FILE`")
	f.BoolVar(&b.small, "small", false, "the share of an experiment that suits a machine without a GPU")
	f.DurationVar(&b.stop, "stop-after", 0, "end after about this time; go on with --resume; 0: no limit")
	f.BoolVar(&b.resume, "resume", false, "leave out cells that --json's file has already")
	f.BoolVar(&b.list, "list", false, "list algorithms, peers and axes, and measure nothing")
	f.BoolVar(&b.dryRun, "dry-run", false, "list the cells with an estimate of time and memory")
	return c
}

func axisHelp() string {
	var s strings.Builder
	for _, k := range run.Known() {
		fmt.Fprintf(&s, "  %-10s %s", k.Name, k.Doc)
		if k.Default != "" {
			fmt.Fprintf(&s, " (%s)", k.Default)
		}
		s.WriteByte('\n')
	}
	return s.String()
}

func (b *benchCmd) main(c *cobra.Command, files []string) error {
	b.command = commandLine(c, files)
	if err := b.rule.Validate(); err != nil {
		return usagef(c, "%v", err)
	}
	if b.workers < 0 || b.workers > math.MaxInt32 {
		return usagef(c, "--parallel %d: at least 1, or 0 for one thread per processor", b.workers)
	}
	all, err := b.options(files, c.Flags().Changed)
	if err != nil {
		return err
	}
	switch {
	case b.list:
		return b.printList(all[0])
	case b.dryRun:
		return b.printPlan(all)
	}
	return b.measure(c.Context(), all)
}

// options turns flags and experiment files into runs. Axes and other flags that
// are given on the command line replace what the files say.
func (b *benchCmd) options(files []string, given func(flag string) bool) ([]run.Options, error) {
	paths, err := peer.Paths(b.peers)
	if err != nil {
		return nil, err
	}
	extra, err := axes.ParseSet(b.axes)
	if err != nil {
		return nil, err
	}
	base := run.Options{
		Axes: extra, Devices: b.devices, Peers: paths, Rule: b.rule, Seed: b.seed,
		Warm: b.warm, Graph: b.graph, HostClock: b.hostClock, Workers: b.workers, Command: b.command,
	}
	if len(files) == 0 {
		return []run.Options{base}, nil
	}
	var all []run.Options
	for _, name := range files {
		f, err := experiment.Read(name)
		if err != nil {
			return nil, err
		}
		list, err := f.Runs(b.small)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b.noSmall = b.noSmall || len(f.Small) == 0
		for _, r := range list {
			o := base
			o.Experiment = strings.TrimSuffix(filepath.Base(name), ".toml")
			o.AbsentAlgos, o.AbsentDevices = extra.Find("Algo") == nil, len(b.devices) == 0
			if o.Axes, err = axes.ParseSet(append(r.Axes, b.axes...)); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if len(b.devices) == 0 {
				o.Devices = r.Devices
			}
			if r.Seed != 0 && !given("seed") {
				o.Seed = uint64(r.Seed)
			}
			o.Warm, o.Graph, o.HostClock = o.Warm || r.Warm, o.Graph || r.Graph, o.HostClock || r.HostClock
			if o.Rule, err = r.Samples.Apply(o.Rule); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			b.keepRule(&o.Rule, given)
			if err := o.Rule.Validate(); err != nil {
				return nil, fmt.Errorf("%s with the command's flags: %w", name, err)
			}
			all = append(all, o)
		}
	}
	return all, nil
}

// keepRule puts back what the command line itself says about sampling.
func (b *benchCmd) keepRule(r *sample.Rule, given func(flag string) bool) {
	if given("timeout") {
		r.Timeout = b.rule.Timeout
	}
	if given("max-noise") {
		r.Noise = b.rule.Noise
	}
	if given("min-samples") {
		r.Min = b.rule.Min
	}
	if given("max-samples") {
		r.Max = b.rule.Max
	}
	if given("warm-up") {
		r.WarmUp = b.rule.WarmUp
	}
}

// measure runs everything, shows the table and writes the files. What was
// measured before an interruption is written too.
func (b *benchCmd) measure(ctx context.Context, all []run.Options) error {
	out, err := b.openOutputs(all)
	if err != nil {
		return err
	}
	defer out.close()
	p := &benchProgress{app: b.app}
	defer p.clear()
	if b.stop > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, b.stop, errStopAfter)
		defer cancel()
	}
	failed := 0
	for i := range all {
		o := &all[i]
		o.Done = out.done
		o.Progress = p.show
		o.Emit = func(r result.Record) error {
			if r.Status == result.Failed {
				failed++
			}
			return out.emit(r)
		}
		if err = b.one(ctx, *o, out); err != nil {
			break
		}
	}
	p.clear()
	if e := out.finish(); e != nil && err == nil {
		err = e
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && context.Cause(ctx) == errStopAfter:
		fmt.Fprintf(b.err, "gpusort: stopped after %v: %d cells are finished; go on with the same command and --json FILE --resume\n", b.stop, len(out.old)+len(out.records))
	case err != nil && ctx.Err() != nil && b.json != "" && b.json != "-" && len(out.old)+len(out.records) > 0:
		return kept{err, fmt.Sprintf("%d finished cells are in %s: go on with --resume", len(out.old)+len(out.records), b.json)}
	case err != nil:
		return err
	}
	if !slices.ContainsFunc(append(out.old, out.records...), func(r result.Record) bool { return r.Status != result.Unsupported }) && len(out.records) > 0 {
		b.hint(all)
	}
	if failed > 0 {
		fmt.Fprintf(b.err, "gpusort: %d cell(s) failed\n", failed)
		return negative{}
	}
	return nil
}

// errStopAfter ends a run at the time that --stop-after gave it.
var errStopAfter = errors.New("the time of --stop-after is over")

func (b *benchCmd) one(ctx context.Context, o run.Options, out *benchOut) error {
	j, err := run.New(o)
	if err != nil {
		return err
	}
	defer j.Close()
	for _, c := range j.Cells() {
		key := result.Record{Cell: c, Case: c.ID()}.Key()
		if _, ok := out.order[key]; !ok {
			out.order[key] = len(out.order)
		}
	}
	return j.Run(ctx)
}

// commandLine writes the command so that a shell reads it back. Results are
// published: of paths outside the working directory only the last part stays.
func commandLine(c *cobra.Command, args []string) string {
	var words []string
	if list, err := peer.Paths(nil); err == nil && len(list) > 0 && !c.Flags().Changed("peers") {
		for i := range list {
			list[i] = published(list[i])
		}
		words = append(words, peer.EnvPeers+"="+shellQuote(strings.Join(list, string(os.PathListSeparator))))
	}
	words = append(words, c.CommandPath())
	for _, a := range args {
		words = append(words, shellQuote(published(a)))
	}
	c.Flags().Visit(func(f *flagOf) {
		switch v := f.Value.(type) {
		case interface{ GetSlice() []string }:
			list := v.GetSlice()
			if f.Name == "peers" {
				list = peer.Split(list)
			}
			for _, s := range list {
				words = append(words, "--"+f.Name+"="+shellQuote(published(s)))
			}
		default:
			words = append(words, "--"+f.Name+"="+shellQuote(published(f.Value.String())))
		}
	})
	return strings.Join(words, " ")
}

// published is a path without the folders of this machine, or the text itself.
func published(s string) string {
	if filepath.IsAbs(s) {
		return filepath.Base(s)
	}
	return s
}

func shellQuote(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%", r)
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (b *benchCmd) printList(o run.Options) error {
	list, err := run.List(o.Peers)
	if err != nil {
		return err
	}
	t := b.newTable(table.Row{"Algorithm", "On", "From", "What"})
	for _, e := range list {
		t.AppendRow(table.Row{e.Name, e.On, e.From, e.Doc})
	}
	t.Render()
	_, err = io.WriteString(b.out, "\nAxes:\n"+axisHelp())
	return err
}
