package run

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/internal/dispatch"
	"github.com/gpusort/gpusort/internal/driver"
)

// devices lists what there is; tests replace it.
var devices = func() ([]driver.Device, error) {
	e, err := dispatch.New(dispatch.Config{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return e.Devices()
}

// findPlaces resolves device names in order, each once. "cpu" alone touches no
// driver.
func findPlaces(names []string) ([]place, error) {
	host := place{id: "cpu", backend: "cpu"}
	if len(names) == 1 && strings.EqualFold(names[0], "cpu") {
		return []place{host}, nil
	}
	list, listErr := devices()
	var all []place
	for _, d := range list {
		all = append(all, place{d.Caps().ID, d.Caps().Backend, d})
	}
	if len(names) == 0 {
		for _, p := range all {
			if !p.dev.Caps().CPU {
				return []place{p}, nil
			}
		}
		return []place{host}, nil
	}
	var out []place
	add := func(p place) {
		for _, o := range out {
			if o.id == p.id {
				return
			}
		}
		out = append(out, p)
	}
	for _, name := range names {
		if strings.EqualFold(name, "all") {
			add(host)
			for _, p := range all {
				add(p)
			}
			continue
		}
		p, ok := match(name, append([]place{host}, all...))
		if !ok {
			known := []string{"cpu", "all"}
			for _, p := range all {
				known = append(known, p.id)
			}
			return nil, errors.Join(fmt.Errorf("device %q: %w: known are %s", name, driver.ErrNoDevice, strings.Join(known, ", ")), listErr)
		}
		add(p)
	}
	return out, nil
}

// match finds a device by ID, by backend for its first device, or by number
// among CUDA's, as nvbench counts.
func match(name string, all []place) (place, bool) {
	name = strings.ToLower(name)
	if _, err := strconv.ParseUint(name, 10, 16); err == nil {
		name = "cuda:" + name
	}
	if name != "cpu" && !strings.Contains(name, ":") {
		name += ":0"
	}
	for _, p := range all {
		if p.id == name {
			return p, true
		}
	}
	return place{}, false
}
