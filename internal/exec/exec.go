package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/plan"
)

// Places gives the regions of a plan their memory, the caller's and plan.Scratch.
type Places [plan.MostRegions]transfer.Place

// mentions reports whether some of the memory is in b.
func (p *Places) mentions(b driver.Buffer) bool {
	return slices.ContainsFunc(p[:], func(at transfer.Place) bool { return at.Buf == b })
}

func (p *Places) at(r plan.Ref) transfer.Place { return p[r.Region].Plus(r.Off) }

// bound is a plan with its arguments filled in for one binding. Equal sorts
// reuse it; after GraphAfter of them the commands are captured as a graph where
// the queue can.
type bound struct {
	p        *prepared
	b        Places
	launches []driver.Launch // by step
	runs     int
	noGraph  bool
	graph    driver.Graph
	host     *hostSteps // nil without host steps
}

// GraphAfter is the number of equal runs after which a graph is made: capture
// costs about as much as three runs of its launches, so that a program that
// sorts the same buffer a few times is not slowed down.
const GraphAfter = 3

// KeptBounds is the number of bindings that a lane keeps with their graphs: a
// program that works on a few buffers in turn finds all of them.
const KeptBounds = 8

func bind(p *prepared, b Places) *bound {
	args := 0
	for _, s := range p.Steps {
		args += len(s.Args)
	}
	all := make([]driver.Arg, 0, args)
	r := &bound{p: p, b: b, launches: make([]driver.Launch, len(p.Steps))}
	r.host = newHostSteps(p)
	r.noGraph = r.host != nil // a graph cannot call the host
	for i, s := range p.Steps {
		if s.Op != plan.OpLaunch {
			continue
		}
		from := len(all)
		for _, a := range s.Args {
			if a.IsRef {
				at := b.at(a.Ref)
				all = append(all, driver.Arg{Buf: at.Buf, Off: at.Off})
			} else {
				all = append(all, driver.Arg{Val: a.Val, Size: a.Size})
			}
		}
		r.launches[i] = driver.Launch{
			Grid:        driver.Dim{X: s.Grid[0], Y: s.Grid[1], Z: s.Grid[2]},
			Block:       driver.Dim{X: s.Block[0], Y: s.Block[1], Z: s.Block[2]},
			SharedBytes: s.SharedBytes, Cooperative: s.Cooperative, Overlap: s.Overlap,
			Args: all[from:len(all):len(all)],
		}
	}
	return r
}

func (b *bound) close() {
	if b.host != nil {
		b.host.close()
	}
	if b.graph != nil {
		// The graph's commands have completed; a failure to free it loses nothing.
		_ = b.graph.Close()
		b.graph = nil
	}
}

// submit queues the steps in order. It stops between steps when ctx ends. A
// host step or a skip waits for the queue; otherwise nothing does.
func (b *bound) submit(ctx context.Context, q driver.Queue) error {
	if b.host != nil {
		b.host.spent = 0
	}
	return b.submitSteps(ctx, q, 0, len(b.p.Steps))
}

// submitSteps is submit for the steps from one to before another.
func (b *bound) submitSteps(ctx context.Context, q driver.Queue, from, to int) error {
	for i := from; i < to; i++ {
		s := &b.p.Steps[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		switch s.Op {
		case plan.OpLaunch:
			err = q.Launch(b.p.kernels[i], b.launches[i])
		case plan.OpMemset:
			dst := b.b.at(s.Dst)
			err = q.Memset(dst.Buf, dst.Off, s.Pattern, s.Bytes)
		case plan.OpCopy:
			dst, src := b.b.at(s.Dst), b.b.at(s.Src)
			err = q.Copy(dst.Buf, dst.Off, src.Buf, src.Off, s.Bytes)
		case plan.OpHost:
			err = b.host.run(q, s, b.p.hosts[i], &b.b)
		case plan.OpSkip:
			var skips bool
			if skips, err = b.host.skips(q, s, &b.b); skips {
				i += s.Skip
			}
		}
		if err != nil {
			return fmt.Errorf("%s: step %d (%s): %w", b.p.Algorithm, i, s.Label, err)
		}
	}
	return nil
}

// submitFast is submit by graph where the queue offers it and it pays.
func (b *bound) submitFast(ctx context.Context, q driver.Queue) error {
	b.runs++
	if b.graph != nil {
		return b.graph.Launch(q)
	}
	g, ok := q.(driver.Grapher)
	if !ok || b.noGraph || len(b.p.Steps) < 2 || b.runs <= GraphAfter {
		return b.submit(ctx, q)
	}
	graph, err := g.Capture(func() error { return b.submit(ctx, q) })
	if err != nil {
		// What cannot be captured can still be launched.
		b.noGraph = true
		return b.submit(ctx, q)
	}
	b.graph = graph
	return graph.Launch(q)
}

// fetchStatus queues the copy of the plan's status record, if it has one. The
// record is whole once the queue has been synchronised.
func (b *bound) fetchStatus(q driver.Queue, to *[plan.StatusBytes]byte) error {
	if b.p.Status == nil {
		return nil
	}
	at := b.b.at(b.p.Status.At)
	return q.CopyOut(unsafe.Pointer(to), at.Buf, at.Off, plan.StatusBytes)
}

// refusal is the error that a fetched status record asks for.
func (p *prepared) refusal(status *[plan.StatusBytes]byte) error {
	if p.Status == nil {
		return nil
	}
	return p.Refusal(binary.NativeEndian.Uint32(status[:]), binary.NativeEndian.Uint64(status[8:]))
}

// number is what a fetched status record of a run without a refusal says.
func (p *prepared) number(status *[plan.StatusBytes]byte) uint64 {
	if p.Status == nil {
		return 0
	}
	return binary.NativeEndian.Uint64(status[8:])
}

// bound returns the arguments of p at a binding, from an equal sort before if
// there was one. The latest is last in the lane's list.
func (l *lane) bound(p *prepared, at Places) *bound {
	n := len(l.recent)
	for i := n - 1; i >= 0; i-- {
		if b := l.recent[i]; b.p == p && b.b == at {
			copy(l.recent[i:], l.recent[i+1:])
			l.recent[n-1] = b
			return b
		}
	}
	if n == KeptBounds {
		l.recent[0].close()
		copy(l.recent, l.recent[1:])
		l.recent = l.recent[:n-1]
	}
	b := bind(p, at)
	l.recent = append(l.recent, b)
	return b
}

// mark puts event i of the lane's two behind the queue's work.
func (l *lane) mark(i int) error {
	if r, ok := l.times[i].(driver.Rerecorder); ok {
		return r.Rerecord(l.q)
	}
	if old := l.times[i]; old != nil {
		l.times[i] = nil
		if err := old.Close(); err != nil {
			return err
		}
	}
	e, err := l.q.Record()
	if err == nil {
		l.times[i] = e
	}
	return err
}

// start queues the lane's current sort between its two events.
func (l *lane) start() error {
	if err := l.mark(0); err != nil {
		return err
	}
	if err := l.current.submitFast(l.ctx, l.q); err != nil {
		return err
	}
	return l.mark(1)
}

// sort runs the lane's current sort and waits for it.
func (l *lane) sort() error {
	if err := l.start(); err != nil {
		return err
	}
	if err := l.current.fetchStatus(l.q, &l.status); err != nil {
		return err
	}
	if err := l.q.Synchronize(); err != nil {
		return fmt.Errorf("%s: %w", l.current.p.Algorithm, err)
	}
	return nil
}

// run sorts what lies in the binding's memory and waits for it. It returns the
// device time, 0 if the device cannot tell. The queue is idle when it returns
// without an error. From the second of several equal sorts on it allocates
// nothing, neither here nor on the device, unless the plan has host steps.
func (l *lane) run(ctx context.Context, p *prepared, at Places) (time.Duration, error) {
	if len(p.Steps) == 0 {
		return 0, l.q.Synchronize()
	}
	if err := l.poison(p); err != nil {
		return 0, err
	}
	l.ctx, l.current = ctx, l.bound(p, at)
	var err error
	if b, ok := l.q.(driver.Batcher); ok {
		err = b.Batch(l.work)
	} else {
		err = l.sort()
	}
	l.ctx, l.current = nil, nil
	if err != nil {
		return 0, err
	}
	if err := p.refusal(&l.status); err != nil {
		return 0, err
	}
	return l.took(), l.unharmed(p)
}

// runBoth is run for two plans that have neither host steps nor a status record, one behind
// the other: the queue does not wait for the host between them, but where guards are checked.
func (l *lane) runBoth(ctx context.Context, first, second *prepared, at, behind Places) (time.Duration, error) {
	if l.s.x.Poison {
		took, err := l.run(ctx, first, at)
		if err != nil {
			return 0, err
		}
		more, err := l.run(ctx, second, behind)
		return took + more, err
	}
	submit := func() error {
		err := l.mark(0)
		if err == nil {
			err = l.bound(first, at).submitFast(ctx, l.q)
		}
		if err == nil {
			err = l.bound(second, behind).submitFast(ctx, l.q)
		}
		if err == nil {
			err = l.mark(1)
		}
		if err == nil {
			err = l.q.Synchronize()
		}
		return err
	}
	var err error
	if b, ok := l.q.(driver.Batcher); ok {
		err = b.Batch(submit)
	} else {
		err = submit()
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", first.Algorithm, err)
	}
	return l.took(), nil
}

// took is the device time between the lane's two events, which have completed; 0 if
// the device cannot tell.
func (l *lane) took() time.Duration {
	ns, err := l.times[1].Since(l.times[0])
	if err != nil {
		// The sort is done; only how long it took is unknown.
		l.s.x.Log.Debug("no device time", "device", l.s.id, "error", err)
		return 0
	}
	return time.Duration(ns)
}

// begin queues a sort whose plan has neither host steps nor a status record, and
// does not wait for it. Before the lane's next sort end does.
func (l *lane) begin(ctx context.Context, p *prepared, at Places) error {
	l.ctx, l.current = ctx, l.bound(p, at)
	defer func() { l.ctx, l.current = nil, nil }()
	return l.start()
}

// end waits for the sort of begin and returns its device time.
func (l *lane) end(p *prepared) (time.Duration, error) {
	if err := l.times[1].Wait(); err != nil {
		return 0, fmt.Errorf("%s: %w", p.Algorithm, err)
	}
	return l.took(), nil
}
