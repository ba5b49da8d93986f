package engine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/op"
)

// OnHostMemory is OnHost for p on memory of the host's, at. What lies where is do's to know.
func (e *Engine) OnHostMemory(ctx context.Context, p op.Spec, at Regions, do func(cpu.Options, op.Memory) error) (Report, error) {
	name := p.Kind.String()
	r := Report{Device: "cpu", Algorithm: name}
	if err := p.Validate(); err != nil {
		return r, fmt.Errorf("%w: %v", driver.ErrUnsupported, err)
	}
	held, err := at.use(name)
	if err != nil {
		return r, err
	}
	defer at.done(held)
	if err := at.check(p); err != nil {
		return r, err
	}
	return e.OnHost(ctx, name, int(p.Items), func(h cpu.Options) error { return do(h, at.memory()) })
}

// OnHost calls do, an operation of that name on so many items that no device has, with
// the engine's limits. The report names it.
func (e *Engine) OnHost(ctx context.Context, name string, items int, do func(cpu.Options) error) (Report, error) {
	start := time.Now()
	r := Report{Device: "cpu", Algorithm: name, Items: uint64(items), Pieces: 1}
	h := cpu.Options{Ctx: ctx, Workers: e.cfg.Workers, MemoryCap: cmp.Or(e.cfg.HostScratch, e.cfg.MemoryLimit)}
	if err := h.Err(); err != nil {
		return r, err
	}
	if err := e.begin(name); err != nil {
		return r, err
	}
	defer e.running.Done()
	err := do(h)
	r.Elapsed = time.Since(start)
	return r, err
}
