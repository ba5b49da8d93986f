package grade

import (
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver"
)

// target is the device of a grading.
type target struct {
	id, name string
	arch     int  // CUDA compute capability times ten
	host     bool // it is this machine's processor
}

// canRun reports whether a reference sort runs on the device; the empty name is
// the first that can.
func (t target) canRun(reference string) error {
	if reference == "" {
		return nil
	}
	if t.id == "cpu" {
		_, err := catalog.HostAlgorithm(reference)
		return err
	}
	_, err := catalog.Algorithm(reference)
	return err
}

// chooseDevice finds the named device, or the first that suits the kind: for
// OpenCL a GPU before PoCL.
func chooseDevice(k Kind, name string) (target, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "auto" {
		name = ""
	}
	if k == SO && (name == "" || name == "cpu") {
		return target{id: "cpu", host: true}, nil
	}
	backend := map[Kind]string{CL: "opencl", CU: "cuda", SO: "cuda"}[k]
	if b, _, _ := strings.Cut(name, ":"); name != "" && b != backend {
		on := backend
		if k == SO {
			on = "cpu or cuda"
		}
		return target{}, fmt.Errorf("device %s: a .%s submission runs on %s", name, k, on)
	}
	if name != "" && !strings.Contains(name, ":") {
		name += ":0"
	}
	var best target
	var known []string
	var why error
	for _, d := range catalog.Drivers() {
		if d.Name() != backend {
			continue
		}
		list, err := d.Devices()
		why = err
		onHost := false
		for _, dev := range list {
			c := dev.Caps()
			// A device that was only listed has nothing that could fail to close.
			_ = dev.Close()
			known = append(known, c.ID)
			if name == c.ID || name == "" && (best.id == "" || onHost && !c.CPU) {
				best, onHost = target{c.ID, c.Name, c.Arch, c.CPU}, c.CPU
			}
		}
	}
	if best.id != "" {
		return best, nil
	}
	if name == "" {
		name = backend
	}
	if why == nil {
		why = driver.ErrNoDevice
	}
	return target{}, fmt.Errorf("device %s for a .%s submission: %w (there: %s)", name, k, why, orNone(known))
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
