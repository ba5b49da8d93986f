package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cluster"
)

func (a *app) run() *cobra.Command {
	var o cluster.RunOptions
	var order orderFlags
	var size sizeValue
	var engine, out string
	c := &cobra.Command{
		Use: "run [flags] URL... -o OUT/", Short: "Run all tasks on this machine, on Ray or on Spark", Args: args(1, -1, "URLs of inputs"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			switch engine {
			case "local":
			case "ray", "spark":
				return a.adapter(c.Context(), engine)
			default:
				return usageError{fmt.Errorf("--engine %q: there are local, ray and spark", engine)}
			}
			if o.Order, err = order.order(); err != nil {
				return err
			}
			o.URLs, o.RangeSize = args, int64(size)
			o.Start = a.process(o.Parallel)
			m, at, err := a.host.Run(c.Context(), o, out)
			if err != nil {
				return err
			}
			return a.report(report{Task: "run", Manifest: at, Ranges: len(m.Objects), Files: len(m.Files), Rows: m.Rows, Bytes: m.Bytes, Sum: m.Sum})
		},
	}
	order.add(c)
	a.place(c.Flags())
	f := c.Flags()
	f.StringVar(&engine, "engine", "local", "`ENGINE` that runs the tasks: local, ray or spark")
	f.IntVar(&o.Tasks, "tasks", 0, "`T` tasks split the inputs")
	f.IntVar(&o.Parallel, "parallel", max(1, min(4, runtime.NumCPU()/2)), "`P` tasks at a time, which share the memory")
	f.StringVar(&o.Work, "work", "", "`URL` of the folder of runs (default OUT/_work/)")
	f.IntVar(&o.Samples, "samples", 0, "about `N` keys are read to find the splitters")
	rangeFlags(c, &o.Ranges, &size)
	output(c, &out, "`URL` of the folder of the output")
	return c
}

// process starts a task as a process of this program, with a share of the memory.
func (a *app) process(parallel int) func(ctx context.Context, words []string) error {
	share := cmp.Or(a.host.Memory, cluster.DefaultMemory) / uint64(max(1, parallel))
	a.host.Memory = share
	workers := a.host.Workers
	if workers <= 0 {
		workers = max(1, runtime.NumCPU()/max(1, parallel))
	}
	more := []string{"-S", fmt.Sprintf("%dB", share), "--workers", fmt.Sprint(workers)}
	for _, dir := range a.host.Temp {
		more = append(more, "-T", dir)
	}
	return func(ctx context.Context, words []string) error {
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		var said bytes.Buffer
		cmd := exec.CommandContext(ctx, exe, append(words, more...)...)
		cmd.Stderr = &said
		// The task ends when this process does, which holds the other end of a pipe.
		cmd.Env = append(os.Environ(), LeaseVariable+"="+Lease)
		lease, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		defer lease.Close()
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = 10 * time.Second
		err = cmd.Run()
		if err == nil {
			return nil
		}
		text := strings.TrimPrefix(strings.TrimSpace(said.String()), "gpusort-cluster: ")
		err = fmt.Errorf("%s: %w: %s", strings.Join(words[:1], " "), err, text)
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == exitFinal {
			return cluster.FinalOf(errors.New(text))
		}
		return err
	}
}

// adapter has Python run the engine's adapter with the same arguments.
func (a *app) adapter(ctx context.Context, engine string) error {
	python, err := exec.LookPath("python3")
	if err != nil {
		return usageError{fmt.Errorf("--engine %s needs Python with the package gpusort-cluster: install python3, and then pip install 'gpusort-cluster[%s]'", engine, engine)}
	}
	if exec.CommandContext(ctx, python, "-c", "import gpusort_cluster").Run() != nil {
		return usageError{fmt.Errorf("--engine %s needs the Python package gpusort-cluster, which %s does not find: pip install 'gpusort-cluster[%s]'", engine, python, engine)}
	}
	words := []string{"-m", "gpusort_cluster", engine}
	skip, named := false, false
	for _, w := range os.Args[1:] {
		switch {
		case skip:
			skip = false
		case w == "run" && !named:
			named = true
		case w == "--engine":
			skip = true
		case !strings.HasPrefix(w, "--engine="):
			words = append(words, w)
		}
	}
	cmd := exec.CommandContext(ctx, python, words...)
	cmd.Stdout, cmd.Stderr = a.out, a.err
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	return cmd.Run()
}
