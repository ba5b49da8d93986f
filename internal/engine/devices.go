package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver"
)

// The catalogue's drivers are made once per process, because they keep what
// they learn of the vendors' libraries.
var shared struct {
	once    sync.Once
	drivers []driver.Driver
}

func (e *Engine) drivers() []driver.Driver {
	if e.cfg.Drivers != nil {
		return e.cfg.Drivers
	}
	shared.once.Do(func() { shared.drivers = catalog.Drivers() })
	return shared.drivers
}

// devices lists the devices of every backend, as values of their own that the
// caller closes; a device costs nothing until its first use. Absent backends
// are left out; the error joins what went wrong with the present ones.
func (e *Engine) devices() ([]driver.Device, error) {
	var all []driver.Device
	var errs []error
	for _, d := range e.drivers() {
		list, err := d.Devices()
		if err != nil && !errors.Is(err, driver.ErrNoDevice) {
			errs = append(errs, fmt.Errorf("%s: %w", d.Name(), err))
		}
		all = append(all, list...)
	}
	return all, errors.Join(errs...)
}

// normalDevice spells a device name as IDs are spelled: "CUDA" is "cuda:0". Of several
// names with commas it spells each.
func normalDevice(name string) string {
	if first, rest, several := strings.Cut(name, ","); several {
		return normalDevice(first) + "," + normalDevice(rest)
	}
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return "auto"
	}
	if name != "auto" && name != "cpu" && !strings.Contains(name, ":") {
		name += ":0"
	}
	return name
}

// unused closes a listed device that was never used. It has nothing that could
// fail to be released.
func unused(d driver.Device) { _ = d.Close() }

// all is what stands for every device of a backend in a name: "cuda:all".
const all = ":all"

// named returns the devices of a name as a user wrote it: one, or several of one backend with
// commas between, or all of it. Who fails closes what it has found.
func (e *Engine) named(name string) (list []driver.Device, err error) {
	defer func() {
		if err != nil {
			for _, d := range list {
				unused(d)
			}
		}
	}()
	for part := range strings.SplitSeq(name, ",") {
		some, err := e.namedPart(strings.TrimSpace(part), name)
		for _, d := range some {
			id := d.Caps().ID
			for _, other := range list {
				switch o := other.Caps(); {
				case o.ID == id && err == nil:
					err = fmt.Errorf("device %q: %w: %s is named twice", name, driver.ErrUnsupported, id)
				case o.Backend != d.Caps().Backend && err == nil:
					err = fmt.Errorf("device %q: %w: devices that sort together are of one backend", name, driver.ErrUnsupported)
				}
			}
			list = append(list, d)
		}
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// namedPart returns one device, or all of a backend: a part of the whole name.
func (e *Engine) namedPart(part, whole string) ([]driver.Device, error) {
	switch {
	case part == "":
		return nil, e.absent(whole, "there is no name on one side of a comma: ", nil)
	case strings.EqualFold(part, "cpu") || strings.EqualFold(part, "auto"):
		return nil, fmt.Errorf("device %q: %w: %s is not combined: only devices of one backend are, such as cuda:0,cuda:1", whole, driver.ErrUnsupported, part)
	}
	name := normalDevice(part)
	backend, every := strings.CutSuffix(name, all)
	if every {
		for _, d := range e.drivers() {
			if strings.EqualFold(d.Name(), backend) {
				list, err := d.Devices()
				if err != nil && !errors.Is(err, driver.ErrNoDevice) {
					return list, fmt.Errorf("device %q: %w", part, err)
				}
				if err == nil && len(list) > 0 {
					return list, nil
				}
				return list, e.absent(part, "", err)
			}
		}
	}
	d, err := e.find(name, part)
	if err != nil {
		return nil, err
	}
	return []driver.Device{d}, nil
}

// find returns the device with a normalised name, which was written so. Only the backend
// that the name mentions is asked; the others are listed for the error alone.
func (e *Engine) find(name, written string) (driver.Device, error) {
	backend, _, _ := strings.Cut(name, ":")
	var why error
	for _, d := range e.drivers() {
		if !strings.EqualFold(d.Name(), backend) {
			continue
		}
		list, err := d.Devices()
		why = err
		var found driver.Device
		for _, dev := range list {
			if found == nil && strings.EqualFold(dev.Caps().ID, name) {
				found = dev
			} else {
				unused(dev)
			}
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, e.absent(written, "", why)
}

// absent is the error of a name, as it was written, of which there is no device: with the
// known ones, after a hint, and with what went wrong with its backend.
func (e *Engine) absent(written, hint string, why error) error {
	known := []string{"auto", "cpu"}
	present, _ := e.devices()
	for _, dev := range present {
		known = append(known, dev.Caps().ID)
		unused(dev)
	}
	err := fmt.Errorf("device %q: %w: %sknown are %s", written, driver.ErrNoDevice, hint, strings.Join(known, ", "))
	if why != nil {
		err = fmt.Errorf("%w (%w)", err, why)
	}
	return err
}

// checkAlgorithm looks a named algorithm up among the host's or the device's,
// as the configured device wants.
func (e *Engine) checkAlgorithm() error {
	name, dev := e.cfg.Algorithm, normalDevice(e.cfg.Device)
	h, hostErr := catalog.HostAlgorithm(name)
	if e.hostNamed = hostErr == nil && name != ""; hostErr != nil {
		h, _ = catalog.HostAlgorithm("")
	}
	e.host = &host{h, e}
	if name == "" {
		return nil
	}
	for _, a := range e.algorithms() {
		if strings.EqualFold(a.Name, name) {
			if dev == "cpu" {
				break
			}
			return nil
		}
	}
	if hostErr == nil && (dev == "cpu" || dev == "auto") {
		e.cfg.Device = "cpu"
		return nil
	}
	var known []string
	if dev != "cpu" {
		for _, a := range e.algorithms() {
			known = append(known, a.Name)
		}
	}
	if dev == "cpu" || dev == "auto" {
		for _, h := range catalog.Hosts() {
			if !slices.Contains(known, h.Name) {
				known = append(known, h.Name)
			}
		}
	}
	return fmt.Errorf("%w: algorithm %q on device %s: known are %s%s",
		driver.ErrUnsupported, name, cmp.Or(e.cfg.Device, dev), strings.Join(known, ", "), catalog.Elsewhere())
}
