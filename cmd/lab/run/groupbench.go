package run

import (
	"context"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// groupBench times sorts by several devices. What lies on them is timed by the host's
// clock, since no device's clock sees the others.
type groupBench struct {
	hostBench
	engine       *engine.Engine
	keysOn, vsOn *engine.Spread // the input spread over the devices; vsOn of pairs alone
}

func newGroupBench(e *engine.Engine, p plan.Problem, src source, o Options) *groupBench {
	return &groupBench{hostBench: hostBench{p: p, src: src, o: o}, engine: e}
}

func (b *groupBench) add(c result.Cell) (contender, error) {
	switch {
	case c.Algo != Auto || c.Threads != 0 || c.Blocks != 0 || c.Scan != "":
		return nil, algo.Unsupported("several devices sort by what each of them chooses: give Algo=[%s]", Auto)
	case b.p.Mode == plan.Argsort:
		return nil, algo.Unsupported("an argsort of memory that is spread over devices")
	}
	a, err := b.engine.Choose(b.p)
	if err != nil {
		return nil, err
	}
	x, err := b.engine.Explain(b.p)
	if err != nil {
		return nil, err
	}
	s := &groupSort{hostSort: hostSort{b: &b.hostBench, source: "catalog", chosen: a.Name}, g: b}
	for _, part := range x.Shares {
		s.shares = append(s.shares, result.Share(part))
	}
	return s, nil
}

func (b *groupBench) allocate() (*input, error) {
	in, err := b.hostBench.allocate()
	if err != nil {
		return nil, err
	}
	if b.keysOn, err = b.engine.AllocSpread(b.p.Items, uint64(b.p.Type.Bytes())); err == nil && b.p.ValueBytes != 0 {
		b.vsOn, err = b.engine.AllocSpread(b.p.Items, uint64(b.p.ValueBytes))
	}
	return in, err
}

func (b *groupBench) close() error {
	for _, s := range []*engine.Spread{b.keysOn, b.vsOn} {
		if s != nil {
			if err := s.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// groupSort is the sort that is timed.
type groupSort struct {
	hostSort
	g      *groupBench
	shares []result.Share
}

func (s *groupSort) describe(r *result.Record) {
	s.hostSort.describe(r)
	r.Shares = s.shares
}

// sample times, with endToEnd, a sort of host memory, then one on the devices. The first
// output is checked before the second sort overwrites it.
func (s *groupSort) sample(ctx context.Context, endToEnd bool) (t times, err error) {
	b := s.g
	if endToEnd {
		b.restore()
		start := b.o.now()
		_, err := b.engine.Sort(ctx, op.Job{Spec: b.p, At: op.Memory{b.keys.pointer(), b.values.pointer()}})
		if t.wall = int64(b.o.now().Sub(start)); err != nil {
			return t, err
		}
		out, err := s.outputs(false)
		if err == nil {
			err = b.in.checkOutput(out[0])
		}
		if err != nil {
			return t, err
		}
		// It takes memory of the devices that the next sort there gives back, which is not what is timed.
		if _, err := s.onDevices(ctx); err != nil {
			return t, err
		}
	}
	if t.device, err = s.onDevices(ctx); err != nil {
		return t, err
	}
	if err := b.move(ctx, engine.Region.Download); err != nil {
		return t, err
	}
	t.outputs, err = s.outputs(false)
	return t, err
}

// onDevices is the time of a sort of the input where it is spread.
func (s *groupSort) onDevices(ctx context.Context) (nanos int64, err error) {
	b := s.g
	b.restore()
	if err := b.move(ctx, engine.Region.Upload); err != nil {
		return 0, err
	}
	start := b.o.now()
	_, err = b.engine.RunSpread(ctx, b.p, b.keysOn, b.vsOn)
	return int64(b.o.now().Sub(start)), err
}

// move copies between the working buffers and the devices, all at once.
func (b *groupBench) move(ctx context.Context, f func(engine.Region, context.Context, unsafe.Pointer) error) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first error
	for s, at := range map[*engine.Spread]unsafe.Pointer{b.keysOn: b.keys.pointer(), b.vsOn: b.values.pointer()} {
		if s == nil {
			continue
		}
		for _, r := range s.Parts() {
			host := at
			wg.Go(func() {
				if err := f(r, ctx, host); err != nil {
					mu.Lock()
					defer mu.Unlock()
					first = err
				}
			})
			at = unsafe.Add(at, r.Bytes)
		}
	}
	wg.Wait()
	return first
}
