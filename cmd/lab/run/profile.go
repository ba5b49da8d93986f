package run

import (
	"context"
	"fmt"
	"runtime"

	"github.com/gpusort/gpusort/cmd/lab/ncu"
	"github.com/gpusort/gpusort/cmd/lab/occupancy"
	"github.com/gpusort/gpusort/cmd/lab/perfstat"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/stat"
	"github.com/gpusort/gpusort/cmd/lab/trace"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// Profile is where the time of one cell's sort goes.
type Profile struct {
	Cell   result.Cell `json:"cell"`
	Case   string      `json:"case"`
	Status string      `json:"status"`
	Reason string      `json:"reason,omitempty"`
	Env    result.Env  `json:"env"`

	// NS is the median time of the whole sort between two events, without an
	// event at every step; an event costs a few microseconds, so that the steps
	// of a small sort sum up to more.
	NS int64 `json:"ns,omitempty"`
	// CopyGBps is what a copy of device memory moves in the same run, bytes read
	// and written: the bar that steps are held against.
	CopyGBps float64        `json:"copy_gbps,omitempty"`
	MinBytes uint64         `json:"min_bytes,omitempty"`
	Steps    []StepProfile  `json:"steps,omitempty"`
	Clocks   *result.Clocks `json:"clocks,omitempty"`
	// Spans are one run's timeline, transfers and the host's calls included.
	Spans []trace.Span `json:"spans,omitempty"`
	// Kernels are what Nsight Compute measured, by kernel; NoCounters says why
	// there is none.
	Kernels []ncu.Kernel `json:"kernels,omitempty"`
	// Counters are what the processor did in one host sort, on average.
	// NoCounters says why there are none.
	Counters   []perfstat.Count `json:"counters,omitempty"`
	NoCounters string           `json:"no_counters,omitempty"`

	Upload   TransferProfile `json:"upload"`
	Download TransferProfile `json:"download"`
}

// TransferProfile is one copy from or to page-locked memory.
type TransferProfile struct {
	NS    int64  `json:"ns"`
	Bytes uint64 `json:"bytes"`
}

// StepProfile is one step of a plan.
type StepProfile struct {
	Label    string `json:"label"`
	Op       string `json:"op"`
	Kernel   string `json:"kernel,omitempty"`
	NS       int64  `json:"ns"` // median
	MinBytes uint64 `json:"min_bytes"`
	Grid     uint64 `json:"grid,omitempty"`  // blocks
	Threads  int    `json:"block,omitempty"` // per block

	Registers   int `json:"registers,omitempty"`
	SharedBytes int `json:"shared_bytes,omitempty"` // static and dynamic
	LocalBytes  int `json:"local_bytes,omitempty"`
	// Occupancy is nil where the backend does not tell registers.
	Occupancy *occupancy.Result `json:"occupancy,omitempty"`
}

// GBps is what the step at least moved over its time.
func (s StepProfile) GBps() float64 {
	if s.NS <= 0 {
		return 0
	}
	return float64(s.MinBytes) / float64(s.NS)
}

// Profile measures every step of every cell, runs times, on one input per
// group, and counts what the processor does in host sorts where counters is
// set. Emit and Rule are not used. Cells without a plan say why.
func (j *Job) Profile(ctx context.Context, runs int, counters bool) ([]Profile, error) {
	j.started = j.o.now()
	j.env = environment(j.o.Command, j.started)
	var all []Profile
	for _, g := range j.groups {
		ps, err := j.profileGroup(ctx, g, runs, counters)
		if err != nil {
			return all, err
		}
		all = append(all, ps...)
	}
	return all, nil
}

func (j *Job) profileGroup(ctx context.Context, g group, runs int, counters bool) ([]Profile, error) {
	var all []Profile
	refuse := func(c result.Cell, err error) {
		all = append(all, Profile{Cell: c, Case: c.ID(), Status: string(statusOf(err)), Reason: err.Error(), Env: j.env})
	}
	if g.absent != nil {
		for _, c := range g.cells {
			refuse(c, g.absent)
		}
		return all, nil
	}
	if g.op != nil {
		for _, c := range g.cells {
			refuse(c, algo.Unsupported("%s is no sort: bench measures it", c.Op))
		}
		return all, nil
	}
	if g.engine == nil {
		for _, c := range g.cells {
			p, err := j.profileHost(ctx, g, c, runs, counters)
			if err != nil {
				refuse(c, err)
				continue
			}
			all = append(all, p)
		}
		return all, ctx.Err()
	}
	// One bench per cell: memory is a single algorithm's.
	for _, c := range g.cells {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		p, err := j.profileCell(ctx, g, c, runs)
		if err != nil {
			refuse(c, err)
			continue
		}
		all = append(all, p)
	}
	return all, nil
}

func (j *Job) profileCell(ctx context.Context, g group, c result.Cell, runs int) (p Profile, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b, err := j.devBench(g, g.problem)
	if err != nil {
		return p, err
	}
	defer b.close()
	con, err := b.add(c)
	if err != nil {
		return p, err
	}
	s := con.(*devSort)
	if s.direct == nil {
		return p, fmt.Errorf("%w: %s is a peer, whose steps are not known", driver.ErrUnsupported, c.Algo)
	}
	in, err := b.allocate()
	if err != nil {
		return p, err
	}
	p = Profile{Cell: c, Case: c.ID(), Status: string(result.OK), Env: j.env, MinBytes: s.direct.Plan().MinBytes()}
	caps := b.dev.Caps()
	p.Env.Device, p.Env.DriverVersion = caps.Name, caps.DriverVersion
	p.Steps = describeSteps(s, caps)

	var whole []int64
	perStep := make([][]int64, len(p.Steps))
	for i := range 1 + runs {
		if i > 0 && b.src.fresh {
			if in, err = b.refresh(i); err != nil {
				return p, err
			}
			if err := s.ready(in); err != nil {
				return p, err
			}
		}
		t, err := s.sample(ctx, false)
		if err != nil {
			return p, err
		}
		if err := in.checkOutput(t.outputs[0]); err != nil {
			return p, err
		}
		steps, spans, err := s.timeline(ctx)
		if err != nil {
			return p, err
		}
		if i == 0 {
			continue // code was loaded and clocks rose
		}
		whole = append(whole, t.device)
		for k, ns := range steps[1 : len(steps)-1] {
			perStep[k] = append(perStep[k], ns)
		}
		p.Upload = TransferProfile{steps[0], b.p.KeyBytes() + b.pairBytes()}
		p.Download = TransferProfile{steps[len(steps)-1], b.p.KeyBytes() + b.p.ValuesBytes()}
		p.Spans = spans
	}
	p.NS = stat.Median(whole)
	for k := range perStep {
		p.Steps[k].NS = stat.Median(perStep[k])
	}
	p.Clocks = b.clocks()
	p.CopyGBps, err = copyBandwidth(b)
	return p, err
}

func describeSteps(s *devSort, caps driver.Caps) []StepProfile {
	var out []StepProfile
	for i, st := range s.direct.Plan().Steps {
		d := StepProfile{Label: st.Label, Op: st.Op.String(), MinBytes: st.MinBytes}
		if st.Op == plan.OpLaunch {
			d.Kernel = st.Kernel.Symbol
			d.Grid, d.Threads = st.Blocks(), int(st.Threads())
			if a, err := s.direct.Kernel(i).Attributes(); err == nil {
				d.Registers, d.LocalBytes, d.SharedBytes = a.Registers, a.LocalBytes, a.SharedBytes+int(st.SharedBytes)
				if o, err := occupancy.Of(caps, a, d.Threads, st.SharedBytes, d.Grid); err == nil {
					d.Occupancy = &o
				}
			}
		}
		out = append(out, d)
	}
	return out
}

func (b *devBench) pairBytes() uint64 {
	if b.p.Mode == plan.Pairs {
		return b.p.ValuesBytes()
	}
	return 0
}
