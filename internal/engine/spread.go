package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Spread is memory of items of a size, equally many on each device of an engine that was
// made for several; else one Memory.
type Spread struct {
	e      *Engine
	size   uint64
	bounds []uint64 // part i has the items from bounds[i] to before bounds[i+1]
	parts  []*Memory
}

// AllocSpread reserves memory for n items of so many bytes. The caller closes it before
// the engine.
func (e *Engine) AllocSpread(n, size uint64) (*Spread, error) {
	s := &Spread{e: e, size: size}
	if e.group == nil {
		m, err := e.Alloc(n * size)
		s.bounds, s.parts = []uint64{0, n}, []*Memory{m}
		return s, err
	}
	if err := e.open("allocate"); err != nil {
		return nil, err
	}
	s.bounds = exec.Even(n, len(e.group.list))
	for i, d := range e.group.list {
		b, err := d.Alloc((s.bounds[i+1]-s.bounds[i])*size + exec.Slack)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.parts = append(s.parts, &Memory{e: e, d: d, dev: b})
	}
	return s, nil
}

// Parts are the regions of the parts, in order.
func (s *Spread) Parts() []Region {
	out := make([]Region, len(s.parts))
	for i, m := range s.parts {
		out[i] = Region{M: m, Bytes: (s.bounds[i+1] - s.bounds[i]) * s.size}
	}
	return out
}

// Close frees the memory. A second Close is a no-op.
func (s *Spread) Close() error {
	var errs []error
	for _, m := range s.parts {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

// RunSpread sorts keys in place across their devices, with the values of pairs, which are
// nil for keys alone; an argsort writes values and leaves the keys. After an error the memory holds anything. Nothing else uses it
// meanwhile: what uses it waits.
func (e *Engine) RunSpread(ctx context.Context, p op.Spec, keys, values *Spread) (r Report, err error) {
	if len(keys.parts) == 1 {
		at := Regions{keys.Parts()[0]}
		if values != nil {
			at[op.ValuesIO] = values.Parts()[0]
		}
		return e.Run(ctx, p, at)
	}
	r = Report{Device: e.group.ID(), Items: p.Items, Pieces: 1}
	if err := p.Validate(); err != nil {
		return r, fmt.Errorf("%w: %v", driver.ErrUnsupported, err)
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	if err := e.begin(p.Kind.String()); err != nil {
		return r, err
	}
	defer e.running.Done()
	defer func(start time.Time) { r.Elapsed = time.Since(start) }(time.Now())
	at := make([]exec.Places, len(keys.parts))
	for i, spread := range []*Spread{keys, values} {
		if spread == nil {
			continue
		}
		for k, m := range spread.parts {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.closed {
				return r, fmt.Errorf("spread: %v: %w", p.Kind, driver.ErrClosed)
			}
			at[k][plan.Region(i)] = Region{M: m}.place()
		}
	}
	done := exec.Result{Pieces: 1}
	err = e.group.Run(ctx, p, keys.bounds, at, &done)
	// Parts may have changed places with memory of the group's.
	for i, spread := range []*Spread{keys, values} {
		for k := range at {
			if spread != nil {
				spread.parts[k].dev = at[k][plan.Region(i)].Buf
			}
		}
	}
	return r.by(e.group.ID(), done), err
}
