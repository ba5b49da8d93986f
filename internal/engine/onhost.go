package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/gpusort/gpusort/internal/algo/cpu"
)

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
