package run

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
)

// place is a device that cells run on; engine is nil for the host, and for a
// device that this machine does not have, which absent then says.
type place struct {
	id, backend string
	engine      *engine.Engine
	absent      error
}

func (p place) close() {
	if p.engine != nil {
		// Failures of the device have been reported by the sorts that met them.
		_ = p.engine.Close()
	}
}

// findPlaces resolves device names in order, each once. "cpu" alone touches no
// driver. With absent, a device that is not there is a place all the same.
func findPlaces(names []string, cfg engine.Config, absent bool) ([]place, error) {
	if len(names) == 1 && strings.EqualFold(names[0], "cpu") {
		return []place{{id: "cpu", backend: "cpu"}}, nil
	}
	list, listErr := inventory(cfg)
	var chosen []engine.DeviceInfo
	var missing []place
	add := func(d engine.DeviceInfo) {
		for _, c := range chosen {
			if c.ID == d.ID {
				return
			}
		}
		chosen = append(chosen, d)
	}
	if len(names) == 0 {
		names = []string{"cpu"}
		for _, d := range list {
			if d.Backend != "cpu" && !d.HostProcessor {
				names = []string{d.ID}
				break
			}
		}
	}
	for _, name := range names {
		found := false
		for _, d := range list {
			if backend, several := result.Together(spelled(name)); several && d.Backend == backend {
				add(engine.DeviceInfo{ID: spelled(name), Backend: backend})
				found = true
			}
			if strings.EqualFold(name, "all") || strings.EqualFold(name, "devices") && d.Backend != "cpu" || d.ID == spelled(name) {
				add(d)
				found = true
			}
		}
		if !found && absent {
			id := spelled(name)
			backend, _, _ := strings.Cut(id, ":")
			why := algo.Unsupported("this machine has no device %s", id)
			if strings.EqualFold(name, "devices") {
				id, backend, why = "none", "device", algo.Unsupported("this machine has no CUDA or OpenCL device")
			}
			missing = append(missing, place{id: id, backend: backend, absent: why})
			continue
		}
		if !found {
			known := []string{"all", "devices"}
			for _, d := range list {
				known = append(known, d.ID)
			}
			return nil, errors.Join(fmt.Errorf("device %q: %w: known are %s", name, driver.ErrNoDevice, strings.Join(known, ", ")), listErr)
		}
	}
	var out []place
	for _, d := range chosen {
		p := place{id: d.ID, backend: d.Backend}
		if d.Backend != "cpu" {
			var err error
			cfg.Device = strings.ReplaceAll(d.ID, "+", ",")
			p.engine, err = engine.New(cfg)
			_, several := result.Together(d.ID)
			switch {
			case several && absent && errors.Is(err, driver.ErrNoDevice):
				missing = append(missing, place{id: d.ID, backend: d.Backend, absent: algo.Unsupported("this machine does not have all of %s", d.ID)})
				continue
			case several && absent && err == nil && !p.engine.Several():
				// One device is not several: in a file of axes it stands beside cuda:0.
				p.close()
				missing = append(missing, place{id: d.ID, backend: d.Backend, absent: algo.Unsupported("this machine has one %s device", d.Backend)})
				continue
			case err != nil:
				for _, o := range out {
					o.close()
				}
				return nil, err
			}
		}
		out = append(out, p)
	}
	return append(out, missing...), nil
}

// inventory lists the CPU and the devices of the configured drivers.
func inventory(cfg engine.Config) ([]engine.DeviceInfo, error) {
	if cfg.Drivers == nil {
		return engine.Inventory()
	}
	list := []engine.DeviceInfo{{ID: "cpu", Backend: "cpu"}}
	for _, drv := range cfg.Drivers {
		devs, err := drv.Devices()
		if err != nil {
			return list, err
		}
		for _, d := range devs {
			c := d.Caps()
			list = append(list, engine.DeviceInfo{ID: c.ID, Backend: c.Backend, HostProcessor: c.CPU})
			if err := d.Close(); err != nil {
				return list, err
			}
		}
	}
	return list, nil
}

// spelled is a device's ID for what a user writes: a number counts CUDA's
// devices, as nvbench does, and a backend's name is its first device. Devices that sort
// together have a + between them: a comma parts places that are measured one by one.
func spelled(name string) string {
	if first, rest, ok := strings.Cut(name, "+"); ok {
		return spelled(first) + "+" + spelled(rest)
	}
	name = strings.ToLower(strings.TrimSpace(name))
	if _, err := strconv.ParseUint(name, 10, 16); err == nil {
		return "cuda:" + name
	}
	if name != "cpu" && !strings.Contains(name, ":") {
		name += ":0"
	}
	return name
}
