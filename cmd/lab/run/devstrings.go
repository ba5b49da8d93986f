package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/op"
)

// devStrings orders strings in device memory. How many plans that takes depends on the data, and
// the host reads a number between them: so a sample is timed by the host's clock, from the call to
// its end, and the engine runs it. Of the devBench it uses the queue, to flush the cache.
type devStrings struct {
	*devBench
	draw ops.Work
	task ops.Task

	regions engine.Regions
	host    [op.MostRegions]*region // what is copied there and back
}

// add takes no other contender: no peer library sorts strings.
func (b *devStrings) add(c result.Cell) (contender, error) {
	if c.Algo != Auto {
		return nil, algo.Unsupported("%s sorts no strings on a device: give Algo=%s", c.Algo, Auto)
	}
	a, err := b.engine.Choose(b.p)
	if err != nil {
		return nil, err
	}
	return &stringsTurn{b, a.Name}, nil
}

func (b *devStrings) allocate() (*input, error) {
	if err := b.orAnew(b.takeFlush); err != nil {
		return nil, err
	}
	for i, x := range b.p.Extents() {
		if x.Bytes == 0 {
			continue
		}
		b.host[i] = newRegion(x.Bytes)
		m, err := b.engine.Alloc(uint64(len(b.host[i].bytes())))
		if err != nil {
			return nil, err
		}
		b.regions[i] = engine.Region{M: m, Off: guardBytes, Bytes: x.Bytes}
	}
	in, err := b.refresh(0)
	if err != nil {
		return nil, err
	}
	return in, b.prepareLead()
}

// refresh draws a round's words.
func (b *devStrings) refresh(round int) (*input, error) {
	if err := b.draw.Draw(b.src.round(round).seed); err != nil {
		return nil, algo.Unsupported("%v", err)
	}
	var err error
	b.task, err = ops.TaskOf(b.draw)
	return &input{p: b.p}, err
}

func (b *devStrings) close() error {
	var errs []error
	for _, r := range b.regions {
		if r.M != nil {
			errs = append(errs, r.M.Close())
		}
	}
	return errors.Join(append(errs, b.devBench.close())...)
}

// all copies every region with its guards, by f.
func (b *devStrings) all(ctx context.Context, f func(engine.Region, context.Context, unsafe.Pointer) error) error {
	for i, r := range b.regions {
		if r.M == nil {
			continue
		}
		host := b.host[i].bytes()
		whole := engine.Region{M: r.M, Bytes: uint64(len(host))}
		if err := f(whole, ctx, unsafe.Pointer(unsafe.SliceData(host))); err != nil {
			return err
		}
	}
	return nil
}

// stringsTurn is the library's order of strings.
type stringsTurn struct {
	b      *devStrings
	chosen string
}

func (s *stringsTurn) describe(r *result.Record) { r.Source, r.Chosen = "catalog", s.chosen }

func (s *stringsTurn) ready(*input) error { return nil }

func (s *stringsTurn) sample(ctx context.Context, _ bool) (t times, err error) {
	b := s.b
	for i, in := range b.task.In {
		if len(in) > 0 {
			copy(b.host[i].inner(), in)
		}
	}
	if err := b.all(ctx, engine.Region.Upload); err != nil {
		return t, err
	}
	if err := b.takeLead(); err != nil {
		return t, err
	}
	if err := b.q.Synchronize(); err != nil {
		return t, err
	}
	start := b.o.now()
	_, number, err := b.engine.Find(ctx, b.p, b.regions)
	if t.device = int64(b.o.now().Sub(start)); err != nil {
		return t, err
	}
	if err := b.all(ctx, engine.Region.Download); err != nil {
		return t, err
	}
	var out [op.MostRegions][]byte
	for i, x := range b.p.Extents() {
		if x.Bytes == 0 {
			continue
		}
		if b.host[i].broken() {
			return t, fmt.Errorf("wrote outside the %s buffer", b.p.Kind.Region(op.Region(i)))
		}
		if inner := b.host[i].inner(); x.Use.Writes() {
			out[i] = inner
		} else if !bytes.Equal(inner[:len(b.task.In[i])], b.task.In[i]) {
			return t, fmt.Errorf("changed the %s", b.p.Kind.Region(op.Region(i)))
		}
	}
	return t, b.task.Check(number, out, false)
}
