package exec

import (
	"context"
	"fmt"
	"time"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// Direct is a prepared sort whose queue, memory and clock are the caller's:
// the executor as measurements and traces need it. One goroutine uses it.
type Direct struct {
	p *prepared
	b *bound
}

// Prepare plans p by the given algorithm with the given launch parameters and loads
// the code. The error wraps driver.ErrUnsupported if the algorithm cannot do it.
func (s *Session) Prepare(a algo.Algorithm, p plan.Problem, l algo.Params) (*Direct, error) {
	if err := a.CheckWith(p, s.caps, l); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.build(a, p, l)
	if err != nil {
		return nil, err
	}
	return &Direct{p: r}, nil
}

// Plan returns what will run.
func (d *Direct) Plan() plan.Plan { return d.p.Plan }

// Kernel returns the kernel of step i, or nil if the step is no launch.
func (d *Direct) Kernel(i int) driver.Kernel { return d.p.kernels[i] }

// Bind gives the plan its memory. The buffers must outlive the Direct.
func (d *Direct) Bind(at Places) {
	d.Close()
	d.b = bind(d.p, at)
}

// Submit queues the whole sort, step by step. It waits only for a plan's host
// steps, after which what it queued last may still run.
func (d *Direct) Submit(ctx context.Context, q driver.Queue) error {
	if b, ok := q.(driver.Batcher); ok {
		return b.Batch(func() error { return d.b.submit(ctx, q) })
	}
	return d.b.submit(ctx, q)
}

// SubmitGraph is Submit as one graph, which it makes on first use. The error
// wraps driver.ErrUnsupported if the queue has no graphs or the plan host steps.
func (d *Direct) SubmitGraph(ctx context.Context, q driver.Queue) error {
	if d.p.HasHostSteps() {
		return fmt.Errorf("%s: %w: a graph cannot hold its host steps", d.p.Algorithm, driver.ErrUnsupported)
	}
	g, ok := q.(driver.Grapher)
	if !ok {
		return fmt.Errorf("%s: %w: this backend has no graphs", d.p.Algorithm, driver.ErrUnsupported)
	}
	if d.b.graph == nil {
		graph, err := g.Capture(func() error { return d.b.submit(ctx, q) })
		if err != nil {
			return fmt.Errorf("%s: capture as a graph: %w", d.p.Algorithm, err)
		}
		d.b.graph = graph
	}
	return d.b.graph.Launch(q)
}

// SubmitSteps queues the steps with a call of between before each and after
// the last one, for one event per border. between gets the number of steps
// submitted so far.
func (d *Direct) SubmitSteps(ctx context.Context, q driver.Queue, between func(done int) error) error {
	all := *d.b
	for i := range d.p.Steps {
		if err := between(i); err != nil {
			return err
		}
		one := all
		one.p = &prepared{Plan: d.p.Plan, kernels: d.p.kernels[i : i+1], hosts: d.p.hosts[i : i+1], dev: d.p.dev}
		one.p.Steps = d.p.Steps[i : i+1]
		one.launches = all.launches[i : i+1]
		if err := one.submit(ctx, q); err != nil {
			return err
		}
	}
	return between(len(d.p.Steps))
}

// HostTime is how long the host functions of the last Submit ran, without the
// copies for them. It is part of what the device's clock shows for the sort.
func (d *Direct) HostTime() time.Duration {
	if d.b == nil || d.b.host == nil {
		return 0
	}
	return d.b.host.spent
}

// Refused waits for the queue and returns the error of a sort that refused its
// input, which wraps plan.ErrRefused, or nil. It is for after Submit.
func (d *Direct) Refused(q driver.Queue) error {
	_, err := d.Found(q)
	return err
}

// Found is Refused, and returns the number that an operation has found.
func (d *Direct) Found(q driver.Queue) (number uint64, err error) {
	var status [plan.StatusBytes]byte
	if d.p.Status == nil {
		return 0, nil
	}
	if err := d.b.fetchStatus(q, &status); err != nil {
		return 0, err
	}
	if err := q.Synchronize(); err != nil {
		return 0, err
	}
	return d.p.number(&status), d.p.refusal(&status)
}

// Close frees the graph and the host memory of host steps, if there are any. The queue must be idle.
func (d *Direct) Close() {
	if d.b != nil {
		d.b.close()
	}
}
