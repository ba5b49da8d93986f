package engine

import (
	"cmp"
	"context"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/op"
)

// place is where an operation can be carried out: the processor or a device.
type place interface {
	// ID is "cpu" or the device's.
	ID() string
	// title is the place's name for people.
	title() string
	// cost predicts p in host memory. Its error wraps driver.ErrUnsupported if p cannot
	// be done here.
	cost(p op.Spec) (estimate, error)
	// run carries out j. It returns r with what it adds, after an error, too. By value,
	// since what goes through an interface by pointer is allocated.
	run(ctx context.Context, j op.Job, r Report) (Report, error)
}

// host is the processor with the algorithm that an engine uses on it.
type host struct {
	catalog.Host
	e *Engine
}

func (h *host) ID() string    { return "cpu" }
func (h *host) title() string { return "host processor" }

// hostOnly is why no device sorts p, of keys that only the processor does.
func hostOnly(p op.Spec) error { return algo.Unsupported("no device has keys of type %v", p.Type) }

// can returns an error if p is no sort.
func (h *host) can(p op.Spec) error {
	if p.Kind != op.Sort {
		return algo.Unsupported("cpu: %v: the processor has sorts only: name a device", p.Kind)
	}
	return nil
}

// algorithm is what sorts p: keys that no other knows, and strings, the library's own.
func (h *host) algorithm(p op.Spec) catalog.Host {
	if p.Type.HostOnly() || p.Kind == op.Strings {
		return catalog.Hosts()[0]
	}
	return h.Host
}

func (h *host) cost(p op.Spec) (estimate, error) {
	t := estimate{algorithm: h.algorithm(p).Name, pieces: 1, sort: h.e.cpuTime(p)}
	t.measured, _ = h.e.measuredCPU(p)
	if p.Kind == op.Strings { // of slices, which their callers sort
		return t, nil
	}
	return t, h.can(p)
}

func (h *host) run(ctx context.Context, j op.Job, r Report) (Report, error) {
	a := h.algorithm(j.Spec)
	r.Device, r.Algorithm = h.ID(), a.Name
	if err := h.can(j.Spec); err != nil {
		return r, err
	}
	c := &h.e.cfg
	return r, a.Run(j, catalog.HostOptions{
		Ctx: ctx, Workers: c.Workers, MemoryCap: cmp.Or(c.HostScratch, c.MemoryLimit), MaxValue: c.Params.MaxValue,
	})
}
