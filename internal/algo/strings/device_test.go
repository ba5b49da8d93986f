package strings

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
)

// TestDevice orders and gathers strings on every device that is here. A processor runs groups of one
// work-item and those of other devices.
func TestDevice(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		onDevice(t, r, c)
		if c.CPU {
			c.CPU, c.MaxThreadsPerBlock = false, 96
			onDevice(t, r, c)
		}
	})
}

func onDevice(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
	ordered(t, r.RunRegions, c)
	refused(t, r.RunRegions, c)
	gathered(t, r.RunRegions, c)
	gatherRefused(t, r.RunRegions, c)
}

// TestRaces orders and gathers strings under Oclgrind, in several groups of work-items.
func TestRaces(t *testing.T) {
	kerneltest.UnderOclgrind(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		c.MaxThreadsPerBlock, c.ComputeUnits = 64, 1
		ordered(t, r.RunRegions, c, "long prefix of two groups")
		gathered(t, r.RunRegions, c, "prefixes")
	})
}
