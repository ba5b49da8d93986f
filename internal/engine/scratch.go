package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// nominal are capabilities that stand for the devices of a backend when none
// is there. They offer every feature, with the unit counts of a large card, so
// that what an algorithm reserves per unit is counted in full.
func nominal(backend string) driver.Caps {
	c := driver.Caps{
		Backend: backend, ID: backend + ":0", Name: "nominal " + backend + " device",
		ComputeUnits: 160, WarpSize: 32, MaxThreadsPerBlock: 1024, MaxThreadsPerUnit: 2048, RegistersPerUnit: 65536,
		SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10, SharedPerUnit: 228 << 10,
		BufferAlign: 256, MemoryGBps: 4800, ForwardProgress: true, SubGroups: true, Atomics64: true,
	}
	if backend == "cuda" {
		c.Arch, c.Cooperative = 90, true
		return c
	}
	c.MaxThreadsPerBlock, c.SharedPerBlock, c.SharedPerBlockMax = 256, 32<<10, 32<<10
	c.ForwardProgress, c.SubGroups = false, false
	return c
}

// mostPlanned is the most items that are planned for without being there: more than
// any device holds. Plans grow with the items, by a step for some 2^30 of them.
const mostPlanned = 1 << 40

// plannable says why a sort of p is not planned that nobody has the data of. Its
// errors wrap driver.ErrUnsupported.
func plannable(p plan.Problem) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("%w: %v", driver.ErrUnsupported, err)
	}
	if p.Items > mostPlanned {
		return fmt.Errorf("%w: %d items: plans are made for up to 2^40", driver.ErrUnsupported, p.Items)
	}
	return nil
}

// ScratchBytes is the device memory that a sort of p needs beside its keys and
// values, without a device: the most that any algorithm which cfg allows would
// take on a device of cfg's backend, or of any under "auto". On the CPU it is
// 0. Devices with unusual limits may differ by a few per cent.
func ScratchBytes(cfg Config, p plan.Problem) (uint64, error) {
	if err := plannable(p); err != nil {
		return 0, err
	}
	e := &Engine{cfg: cfg}
	if err := e.checkAlgorithm(); err != nil {
		return 0, err
	}
	name := normalDevice(e.cfg.Device)
	if name == "cpu" || p.Type.HostOnly() {
		return 0, nil
	}
	var most uint64
	var found bool
	var why []error
	for _, a := range e.algorithms() {
		if cfg.Algorithm != "" && !strings.EqualFold(a.Name, cfg.Algorithm) || cfg.Algorithm == "" && a.Study {
			continue
		}
		for _, b := range a.Backends {
			if name != "auto" && !strings.HasPrefix(name, b+":") {
				continue
			}
			c := nominal(b)
			err := a.Check(p, c)
			if err == nil {
				var pl plan.Plan
				if pl, err = a.Plan(p, c, cfg.Params); err == nil {
					most, found = max(most, pl.ScratchBytes), true
					continue
				}
			}
			why = append(why, fmt.Errorf("%s: %w", a.Name, err))
		}
	}
	if !found && name != "auto" {
		why = append(why, fmt.Errorf("device %s: %w: no algorithm for the %s", e.cfg.Device, driver.ErrUnsupported, p.Words()))
		return 0, errors.Join(why...)
	}
	return most, nil
}
