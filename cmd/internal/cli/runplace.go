package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/run"
	"github.com/gpusort/gpusort/internal/engine"
)

// scanPrefix begins the names of prefix sums, which are run by name but are no
// sorts and so not listed: the lab says which there are.
const scanPrefix = "scan-"

// firstFor returns the ID of the device that a method runs on when the user
// names none: the first card that it has code for, else the processor, else an
// OpenCL device on the processor. With a layout, which only kernels have, the
// processor itself comes last.
func firstFor(method string, layout bool, peers []string) (string, error) {
	list, err := run.List(peers)
	if err != nil {
		return "", err
	}
	var on []string
	for _, e := range list {
		if e.Name == method {
			on = append(on, strings.Fields(e.On)...)
		}
	}
	if on == nil && strings.HasPrefix(method, scanPrefix) {
		on = []string{"cuda", "opencl", "cpu"}
	}
	if on == nil {
		return "", unknownAlgorithm("method", method)
	}
	devices, err := engine.Inventory()
	rank := func(d engine.DeviceInfo) int {
		switch {
		case !slices.Contains(on, d.Backend):
			return 0
		case d.Backend == "cpu" && layout:
			return 1
		case d.Backend == "cpu":
			return 3
		case d.HostProcessor:
			return 2
		}
		return 4
	}
	best := slices.MaxFunc(devices, func(a, b engine.DeviceInfo) int { return rank(a) - rank(b) })
	if rank(best) == 0 {
		if err != nil {
			return "", fmt.Errorf("%s runs on %s: %w", method, strings.Join(on, " and "), err)
		}
		return "", fmt.Errorf("%s runs on %s, and there is no such device: 'gpusort devices' lists what is there", method, strings.Join(on, " and "))
	}
	return best.ID, nil
}
