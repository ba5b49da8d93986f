package dispatch

import (
	"context"
	"fmt"
	"time"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// place is somewhere in a device buffer, off in bytes.
type place struct {
	buf driver.Buffer
	off uint64
}

// binding gives the regions of a plan their memory.
type binding struct{ keys, values, scratch place }

func (b binding) at(r plan.Ref) place {
	p := [...]place{plan.KeysIO: b.keys, plan.ValuesIO: b.values, plan.Scratch: b.scratch}[r.Region]
	p.off += r.Off
	return p
}

// bound is a plan with its arguments filled in for one binding. Equal sorts
// that follow each other reuse it; after graphAfter of them the commands are
// captured as a graph where the queue can.
type bound struct {
	p        *prepared
	b        binding
	launches []driver.Launch // by step
	runs     int
	noGraph  bool
	graph    driver.Graph
}

// graphAfter is the number of equal runs after which a graph is made: capture
// costs about as much as three runs of its launches, so that a program that
// sorts the same buffer a few times is not slowed down.
const graphAfter = 3

func bind(p *prepared, b binding) *bound {
	args := 0
	for _, s := range p.Steps {
		args += len(s.Args)
	}
	all := make([]driver.Arg, 0, args)
	r := &bound{p: p, b: b, launches: make([]driver.Launch, len(p.Steps))}
	for i, s := range p.Steps {
		if s.Op != plan.OpLaunch {
			continue
		}
		from := len(all)
		for _, a := range s.Args {
			if a.IsRef {
				at := b.at(a.Ref)
				all = append(all, driver.Arg{Buf: at.buf, Off: at.off})
			} else {
				all = append(all, driver.Arg{Val: a.Val, Size: a.Size})
			}
		}
		r.launches[i] = driver.Launch{
			Grid:        driver.Dim{X: s.Grid[0], Y: s.Grid[1], Z: s.Grid[2]},
			Block:       driver.Dim{X: s.Block[0], Y: s.Block[1], Z: s.Block[2]},
			SharedBytes: s.SharedBytes, Cooperative: s.Cooperative, Cluster: s.Cluster,
			Args: all[from:len(all):len(all)],
		}
	}
	return r
}

func (b *bound) close() {
	if b.graph != nil {
		// The graph's commands have completed; a failure to free it loses nothing.
		_ = b.graph.Close()
		b.graph = nil
	}
}

// submit queues the steps in order. It stops between steps when ctx ends.
func (b *bound) submit(ctx context.Context, q driver.Queue) error {
	for i, s := range b.p.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		switch s.Op {
		case plan.OpLaunch:
			err = q.Launch(b.p.kernels[i], b.launches[i])
		case plan.OpMemset:
			dst := b.b.at(s.Dst)
			err = q.Memset(dst.buf, dst.off, s.Pattern, s.Bytes)
		case plan.OpCopy:
			dst, src := b.b.at(s.Dst), b.b.at(s.Src)
			err = q.Copy(dst.buf, dst.off, src.buf, src.off, s.Bytes)
		}
		if err != nil {
			return fmt.Errorf("%s: step %d (%s): %w", b.p.Algorithm, i, s.Label, err)
		}
	}
	return nil
}

// submitFast is submit by graph or batch where the queue offers them.
func (b *bound) submitFast(ctx context.Context, q driver.Queue) error {
	b.runs++
	if g, ok := q.(driver.Grapher); ok && !b.noGraph && len(b.p.Steps) > 1 && b.runs > graphAfter {
		if b.graph == nil {
			graph, err := g.Capture(func() error { return b.submit(ctx, q) })
			if err != nil {
				// What cannot be captured can still be launched.
				b.noGraph = true
				return b.submitPlain(ctx, q)
			}
			b.graph = graph
		}
		return b.graph.Launch(q)
	}
	return b.submitPlain(ctx, q)
}

func (b *bound) submitPlain(ctx context.Context, q driver.Queue) error {
	if bt, ok := q.(driver.Batcher); ok {
		return bt.Batch(func() error { return b.submit(ctx, q) })
	}
	return b.submit(ctx, q)
}

// run sorts what lies in the binding's memory and waits for it. It returns the
// device time. The queue is idle when it returns without an error.
func (l *lane) run(ctx context.Context, p *prepared, at binding) (time.Duration, error) {
	if len(p.Steps) == 0 {
		return 0, l.q.Synchronize()
	}
	if l.last == nil || l.last.p != p || l.last.b != at {
		l.forget()
		l.last = bind(p, at)
	}
	if err := l.poison(); err != nil {
		return 0, err
	}
	start, err := l.q.Record()
	if err != nil {
		return 0, err
	}
	defer start.Close()
	if err := l.last.submitFast(ctx, l.q); err != nil {
		return 0, err
	}
	end, err := l.q.Record()
	if err != nil {
		return 0, err
	}
	defer end.Close()
	if err := l.q.Synchronize(); err != nil {
		return 0, fmt.Errorf("%s: %w", p.Algorithm, err)
	}
	ns, err := end.Since(start)
	if err != nil {
		return 0, err
	}
	return time.Duration(ns), l.unharmed(p)
}
