package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/load"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/plan"
)

// Job is a checked set of cells, ready to run.
type Job struct {
	o       Options
	places  []place
	groups  []group
	stocks  map[*engine.Engine]*stock
	cells   int
	done    int
	env     result.Env
	started time.Time
	marks   []load.Mark // the beginnings of groups
}

// New resolves devices, peers and axes. It reserves nothing. Mistakes in names
// and values are found here, before anything runs. Close releases it.
func New(o Options) (*Job, error) {
	if o.Clock == nil {
		o.Clock = sample.Wall{}
	}
	if err := o.Rule.Validate(); err != nil {
		return nil, err
	}
	var err error
	if o.sorters, o.operators, err = loadPeers(o.Peers, o.algorithms()); err != nil {
		return nil, err
	}
	if len(o.Sort) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		o.Sort = []string{exe, "sort"}
	}
	if len(o.Devices) == 0 && onlyOperations(o.Axes) {
		o.Devices = []string{"cpu"}
	}
	j := &Job{o: o, stocks: map[*engine.Engine]*stock{}}
	if j.places, err = findPlaces(o.Devices, o.Engine, o.AbsentDevices); err != nil {
		return nil, err
	}
	if j.groups, err = expand(o, j.places); err != nil {
		j.Close()
		return nil, err
	}
	for _, g := range j.groups {
		j.cells += len(g.cells)
	}
	for _, p := range j.places {
		if p.backend == "cuda" && p.engine != nil && j.o.nvml == nil {
			j.o.nvml = newMonitor()
		}
	}
	return j, nil
}

// Cells lists what will be measured, in order.
func (j *Job) Cells() []result.Cell {
	var out []result.Cell
	for _, g := range j.groups {
		out = append(out, g.cells...)
	}
	return out
}

// Close releases what New opened.
func (j *Job) Close() {
	for _, s := range j.stocks {
		// Failures of the device have been reported by the samples that met them.
		_ = s.close()
	}
	for _, p := range j.places {
		p.close()
	}
	j.o.nvml.close()
}

// Run measures every cell. It returns early with the context's error, or with
// Emit's; a cell that fails is a record and no error.
func (j *Job) Run(ctx context.Context) error {
	j.started = j.o.now()
	j.env = environment(j.o.Command, j.started)
	for _, g := range j.groups {
		if err := j.group(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// entry is one cell on its way through a group.
type entry struct {
	rec result.Record
	c   contender
	s   *sample.Sampler
}

func (j *Job) group(ctx context.Context, g group) error {
	j.see()
	env := j.env
	if g.engine != nil {
		d := g.engine.MeasuredDevice()
		env.Device, env.DriverVersion = d.Name, d.Driver
	}
	var live []*entry
	var all []*entry
	for _, c := range g.cells {
		all = append(all, &entry{rec: result.Record{Cell: c, Source: "catalog", Experiment: j.o.Experiment, Env: env}})
	}
	b, err := j.open(g)
	if err != nil {
		return j.failAll(all, err)
	}
	defer b.close() // what it could report, the samples have reported before
	for _, e := range all {
		if e.c, err = b.add(e.rec.Cell); err != nil {
			if err := j.finish(e, err); err != nil {
				return err
			}
			continue
		}
		e.c.describe(&e.rec)
		e.s = sample.New(j.o.Rule, j.o.Clock)
		live = append(live, e)
	}
	if len(live) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	in, err := b.allocate()
	if err != nil {
		return j.failAll(live, err)
	}
	if live, err = j.admit(in, live); err != nil {
		return err
	}
	for _, e := range live {
		e.rec.Before = b.clocks()
	}
	return j.rounds(ctx, b, in, live, g.source.fresh)
}

// admit finishes the cells whose algorithms cannot be given this input, and returns
// the others.
func (j *Job) admit(in *input, live []*entry) (ready []*entry, err error) {
	for _, e := range live {
		if why := e.c.ready(in); why == nil {
			ready = append(ready, e)
		} else if err := j.finish(e, why); err != nil {
			return nil, err
		}
	}
	return ready, nil
}

// rounds gives every live cell one turn after the other, in a new order each
// round, so that drifts of clocks and of other load meet all alike. The cells of a
// round sort the same input; with fresh every round has its own, whose making is
// shared among their time limits.
func (j *Job) rounds(ctx context.Context, b bench, in *input, live []*entry, fresh bool) error {
	rng := rand.New(rand.NewPCG(j.o.Seed, uint64(len(live))))
	for round := 0; len(live) > 0; round++ {
		if fresh && round > 0 {
			from := j.o.now()
			var err error
			if in, err = b.refresh(round); err != nil {
				return j.failAll(live, err)
			}
			share := j.o.now().Sub(from) / time.Duration(len(live))
			if live, err = j.admit(in, live); err != nil {
				return err
			}
			for _, e := range live {
				e.s.Charge(share)
			}
		}
		rng.Shuffle(len(live), func(i, k int) { live[i], live[k] = live[k], live[i] })
		next := live[:0]
		for _, e := range live {
			j.tell(e)
			err := j.turn(ctx, in, e)
			if err := ctx.Err(); err != nil {
				return err
			}
			if err == nil && !e.s.Done() {
				next = append(next, e)
				continue
			}
			e.rec.After = b.clocks()
			if err := j.finish(e, err); err != nil {
				return err
			}
		}
		live = next
	}
	return nil
}

// turn measures one sample and verifies it. Warm-ups are verified too.
func (j *Job) turn(ctx context.Context, in *input, e *entry) error {
	warmUp := e.s.Begin()
	t, err := e.c.sample(ctx, e.s.EndToEnd())
	if err != nil {
		return err
	}
	for _, out := range t.outputs {
		if err := in.checkOutput(out); err != nil {
			return err
		}
	}
	judged, device := t.wall, e.rec.DeviceID != "cpu" && !e.rec.OfFile()
	if device {
		judged = t.device
	}
	if !warmUp {
		if device {
			e.rec.DeviceNS = append(e.rec.DeviceNS, t.device)
		}
		if t.behind {
			e.rec.Behind++
		}
		if t.cpu != 0 {
			e.rec.CPUNS, e.rec.FileBytes, e.rec.PeakBytes = append(e.rec.CPUNS, t.cpu), t.file, max(e.rec.PeakBytes, t.peak)
		}
		if t.host != 0 {
			e.rec.HostNS = append(e.rec.HostNS, t.host)
		}
		if t.wall != 0 {
			e.rec.WallNS = append(e.rec.WallNS, t.wall)
		}
	}
	e.s.Add(judged)
	return nil
}

func (j *Job) open(g group) (bench, error) {
	if b, err := j.unopened(g); b != nil || err != nil {
		return b, err
	}
	if g.op != nil {
		return j.devOps(g)
	}
	return j.devBench(g, g.problem)
}

// unopened is the bench of a group, if it takes nothing of a device before it allocates; nil for
// the others.
func (j *Job) unopened(g group) (bench, error) {
	switch {
	case g.absent != nil:
		return nil, g.absent
	case g.file != nil:
		return newFileBench(g, j.o), nil
	case g.op != nil && g.engine == nil:
		return newOpBench(g, j.o)
	case g.engine == nil:
		return &hostBench{p: g.problem, src: g.source, o: j.o}, nil
	case g.op == nil && g.engine.Several():
		return newGroupBench(g.engine, g.problem, g.source, j.o), nil
	}
	return nil, nil
}

// devBench is for a group's device and source.
func (j *Job) devBench(g group, p plan.Problem) (*devBench, error) {
	s := j.stocks[g.engine]
	if s == nil {
		s = newStock(g.engine.Device())
		j.stocks[g.engine] = s
	}
	return newDevBench(g.engine, s, p, g.source, j.o)
}

// finish completes a cell's record with its status and emits it.
func (j *Job) finish(e *entry, err error) error {
	e.rec.Status = statusOf(err)
	if err == nil {
		e.rec.Stop, e.rec.Others = e.s.Stop(), j.others()
	} else {
		// The status says it already.
		e.rec.Reason = strings.TrimPrefix(err.Error(), driver.ErrUnsupported.Error()+": ")
		e.rec.DeviceNS, e.rec.WallNS, e.rec.HostNS, e.rec.CPUNS, e.rec.Behind = nil, nil, nil, nil, 0
	}
	e.rec.Finish()
	j.done++
	if err := j.o.Emit(e.rec); err != nil {
		return fmt.Errorf("write the result of %s: %w", e.rec.Case, err)
	}
	return nil
}

func statusOf(err error) result.Status {
	switch {
	case err == nil:
		return result.OK
	case errors.Is(err, driver.ErrUnsupported):
		return result.Unsupported
	}
	return result.Failed
}

func (j *Job) failAll(all []*entry, err error) error {
	for _, e := range all {
		if err := j.finish(e, err); err != nil {
			return err
		}
	}
	return nil
}

func (j *Job) tell(e *entry) {
	if j.o.Progress == nil {
		return
	}
	p := Progress{Done: j.done, Cells: j.cells, Case: e.rec.ID(), Samples: e.s.Count(), Elapsed: j.o.now().Sub(j.started)}
	if j.done > 0 {
		p.Left = p.Elapsed / time.Duration(j.done) * time.Duration(j.cells-j.done)
	}
	j.o.Progress(p)
}
