package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/key"
)

// numbered are the methods that report 001 gives numbers, by number.
var numbered = []string{"radix-host-scatter", "counting", "bitonic-grid"}

// runItems is the default number of keys.
const runItems = 1 << 20

type runCmd struct {
	*app
	c       *cobra.Command
	method  string
	size    sizeValue
	threads sizeValue
	blocks  sizeValue
	most    sizeValue
	runs    int
	device  string
	typ     typeValue
	mode    string
	scan    string
	dist    string
	input   string
	reverse bool
	seed    uint64
	peers   []string
	json    bool
}

func (a *app) runCommand() *cobra.Command {
	r := &runCmd{app: a}
	c := &cobra.Command{
		Use:   "run METHOD [SIZE THREADS BLOCKS [MAX]] [flags]",
		Short: "Run one sort with a chosen launch layout and show what it does",
		Long: `Make a random sequence, sort it by one method of the catalogue, and verify it. Show
times with and without transfers, launches, bytes moved and the theoretical
occupancy of each kernel. A layout that the device cannot launch, too much shared
memory or a key above the maximum is an error before anything runs.

METHOD is a name of 'gpusort bench --list', or a number: 0 is radix-host-scatter,
1 counting, 2 bitonic-grid. As SIZE, THREADS or BLOCKS, 0 means the default.
With MAX or --max-value the keys are drawn from 0 … MAX, unless --dist says otherwise.`,
		Example: `  gpusort run bitonic-grid --size 2^20 --threads 256 --blocks 132
  gpusort run counting --size 10M --max-value 255 --runs 5
  gpusort run radix-lsd --device opencl:0 --blocks 4
  gpusort run 1 1000000 256 0 1000`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			r.c = c
			return r.main(c.Context(), args)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return algoList(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := c.Flags()
	f.Var(&r.size, "size", "number of keys; default 2^20")
	f.Var(&r.threads, "threads", "threads per block; 0: the method's own")
	f.Var(&r.blocks, "blocks", "blocks; 0: the method's own")
	f.Var(&r.most, "max-value", "greatest key; counting needs it")
	f.IntVar(&r.runs, "runs", 1, "measured runs, after one that is not measured; times are medians")
	f.StringVar(&r.device, "device", "", "`ID` such as cuda:0, or cpu; default: the first that runs METHOD")
	f.Var(&r.typ, "type", "key type: "+typeNames()+"; default u32")
	f.StringVar(&r.scan, "scan", "", "prefix sum `NAME` inside counting sorts, radix-lsd (OpenCL) and radix-4way, such as scan-blelloch")
	f.StringVar(&r.mode, "mode", "keys", "keys, pairs or argsort")
	f.StringVar(&r.dist, "dist", "uniform", "distribution `NAME` of 'gpusort gen --list', or max-N")
	f.StringVar(&r.input, "input", run.Fresh, "fresh: new keys for every run; same: the same keys for all")
	f.BoolVarP(&r.reverse, "reverse", "r", false, "descending order")
	f.Uint64Var(&r.seed, "seed", 1, "seed of the sequence")
	f.StringArrayVar(&r.peers, "peers", nil, "`PATHS` of libraries of sorters, as "+peer.EnvPeers+" takes them, which is the default")
	f.BoolVar(&r.json, "json", false, "print as JSON")
	choices(c, "type", names(catalog.KeyTypes(), func(r key.Row) string { return r.Name }))
	choices(c, "mode", []string{"keys", "pairs", "argsort"})
	distChoices(c, "dist")
	choices(c, "input", []string{run.Fresh, run.Same})
	return c
}

// main checks everything, then runs.
func (r *runCmd) main(ctx context.Context, args []string) error {
	if err := r.arguments(args); err != nil {
		return err
	}
	o, err := r.options()
	if err != nil {
		return err
	}
	var rec result.Record
	o.Emit = func(x result.Record) error { rec = x; return nil }
	j, err := run.New(o)
	if err != nil {
		return err
	}
	defer j.Close()
	layouts, err := j.Layouts()
	if err != nil {
		return err
	}
	if err := j.Run(ctx); err != nil {
		return err
	}
	switch rec.Status {
	case result.Unsupported:
		return fmt.Errorf("%s: %s", r.method, rec.Reason)
	case result.Failed:
		fmt.Fprintf(r.err, "gpusort: %s failed: %s\n", rec.Case, rec.Reason)
		return negative{}
	}
	x := newRunReport(rec, layouts[0])
	if r.json {
		return printJSON(r.out, x)
	}
	r.print(x)
	return nil
}

// arguments reads METHOD and, in the report's form, the numbers after it.
func (r *runCmd) arguments(args []string) error {
	if len(args) == 0 {
		return usagef(r.c, "which method? give a name of 'gpusort bench --list', or 0, 1 or 2")
	}
	r.method = strings.ToLower(args[0])
	if n, err := strconv.Atoi(r.method); err == nil {
		if n < 0 || n >= len(numbered) {
			return usagef(r.c, "method %d: 0 is %s, 1 %s, 2 %s", n, numbered[0], numbered[1], numbered[2])
		}
		r.method = numbered[n]
	}
	if h, err := catalog.HostAlgorithm(r.method); err == nil {
		r.method = h.Name // also for a former name
	}
	if len(args) > 1 {
		if len(args) < 4 || len(args) > 5 {
			return usagef(r.c, "%d arguments: give METHOD alone with flags, or METHOD SIZE THREADS BLOCKS [MAX]", len(args))
		}
		for i, x := range []struct {
			flag string
			to   *sizeValue
		}{{"size", &r.size}, {"threads", &r.threads}, {"blocks", &r.blocks}, {"max-value", &r.most}} {
			if i+1 >= len(args) {
				break
			}
			if r.c.Flags().Changed(x.flag) {
				return usagef(r.c, "--%s and the argument %q: give one of them", x.flag, args[i+1])
			}
			if err := x.to.Set(args[i+1]); err != nil {
				return usagef(r.c, "%v", err)
			}
		}
	}
	if args[0] == "1" && r.most == 0 {
		return usagef(r.c, "method 1 needs the greatest key: give MAX or --max-value")
	}
	if r.runs < 1 {
		return usagef(r.c, "--runs %d: at least one", r.runs)
	}
	if r.size == 0 {
		r.size = runItems
	}
	return nil
}

// options makes the one cell that is run.
func (r *runCmd) options() (run.Options, error) {
	paths, err := peer.Paths(r.peers)
	if err != nil {
		return run.Options{}, err
	}
	device := r.device
	if device == "" {
		if device, err = firstFor(r.method, r.threads != 0 || r.blocks != 0 || r.scan != "", paths); err != nil {
			return run.Options{}, err
		}
	}
	if r.most != 0 && !r.c.Flags().Changed("dist") {
		r.dist = fmt.Sprintf("max-%d", r.most)
	}
	order, typ := "asc", "u32"
	if r.reverse {
		order = "desc"
	}
	width := 4
	if r.typ.set {
		typ, width = r.typ.String(), r.typ.t.Bytes()
	}
	if err := room.For(uint64(r.size), uint64(width)); err != nil {
		return run.Options{}, fmt.Errorf("--size %d: %w", uint64(r.size), err)
	}
	set, err := axes.ParseSet([]string{
		"Algo=" + r.method, "KeyT=" + typ, "Mode=" + r.mode, "Dist=" + r.dist, "Order=" + order, "Input=" + r.input,
		fmt.Sprintf("Elements=%d", r.size), fmt.Sprintf("Threads=%d", r.threads), fmt.Sprintf("Blocks=%d", r.blocks),
		fmt.Sprintf("MaxValue=%d", r.most), "Scan=" + cmp.Or(r.scan, "own"),
	})
	if err != nil {
		return run.Options{}, usagef(r.c, "%v", err)
	}
	return run.Options{
		Axes: set, Devices: []string{device}, Peers: paths, Seed: r.seed, Command: commandLine(r.c, nil),
		Rule: sample.Rule{WarmUp: 1, Min: r.runs, Max: r.runs}, AsDrawn: true, OneSort: true,
	}, nil
}
