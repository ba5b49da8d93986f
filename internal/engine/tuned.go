package engine

import (
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine/crossover"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// tuned is what gpusort tune measured on this machine, read once.
type tuned struct {
	once  sync.Once
	table *crossover.Table // nil: nothing was measured
	host  crossover.Device
	floor uint64
}

// leastFloor is the number of items below which no machine is asked for its
// measured times: 2^12 u32 keys take a few microseconds on one core, less than
// any transfer.
const leastFloor = 1 << 12

// tuning returns the measured times, nil if there are none. An engine with
// drivers or workers of its own has none, because they were not measured.
func (e *Engine) tuning() *crossover.Table {
	e.tuned.once.Do(func() {
		t := e.cfg.Tuning
		if t == nil && e.cfg.Drivers == nil && e.cfg.Workers == 0 {
			var err error
			if t, err = crossover.Load(); err != nil {
				e.log.Warn("measured times are not used", "error", err)
			}
		}
		e.tuned.table, e.tuned.host, e.tuned.floor = t, crossover.Host(), DeviceFloor
		if n, ok := t.Floor(); ok {
			e.tuned.floor = max(n, leastFloor)
		}
	})
	return e.tuned.table
}

// floor is the number of items below which "auto" sorts on the CPU without a
// look at devices.
func (e *Engine) floor() uint64 {
	e.tuning()
	return e.tuned.floor
}

// measured is the time of p on d, a sort or an order of strings, if it was measured.
func (e *Engine) measured(d crossover.Device, p plan.Problem) (seconds, bool) {
	t := e.tuning()
	if t == nil || p.Kind != op.Sort && p.Kind != op.Strings {
		return 0, false
	}
	s, ok := t.Seconds(d, p)
	return seconds(s), ok
}

// measuredCPU is the time of a sort of p on the processor, if it was measured.
func (e *Engine) measuredCPU(p plan.Problem) (seconds, bool) {
	e.tuning()
	return e.measured(e.tuned.host, p)
}

// measuredDevice identifies a device in the table.
func measuredDevice(c driver.Caps) crossover.Device {
	return crossover.Device{ID: c.ID, Name: c.Name, Driver: c.DriverVersion}
}

// MeasuredDevice identifies the engine's named device, or the CPU, in a table
// of measured times.
func (e *Engine) MeasuredDevice() crossover.Device {
	if e.group != nil {
		return e.group.measured()
	}
	if d := e.single(); d != nil {
		return measuredDevice(d.Caps())
	}
	return crossover.Host()
}

// AutoDevices returns the devices among which "auto" chooses.
func (e *Engine) AutoDevices() ([]driver.Caps, error) {
	list, err := e.discover()
	var out []driver.Caps
	for _, d := range list {
		out = append(out, d.Caps())
	}
	return out, err
}
