package groups

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
)

// TestDevice finds groups on every device that is here. A processor runs groups of one
// work-item and those of other devices.
func TestDevice(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		deviceGroups(t, r.RunRegions, c)
		if c.CPU {
			c.CPU, c.MaxThreadsPerBlock = false, 96
			deviceGroups(t, r.RunRegions, c)
		}
	})
}

func deviceGroups(t *testing.T, run runner, c driver.Caps) {
	sizes := []int{0, 1, 2, 3, 767, 768, 769, shareStep - 1, shareStep, shareStep + 1, 70_003}
	if c.Backend == "cuda" {
		sizes = append(sizes, 2_000_003, 30_000_001) // more tiles than run at once
	}
	turn := 0
	for i, ty := range types {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		for _, n := range sizes {
			for _, mean := range []int{1, 30, 30_000} {
				x := keysOf(r, ty, n, mean)
				values, _ := expected(x)
				room := []int{len(values), n + 3, max(len(values)-1, 0), len(values) / 2}[turn%4]
				check(t, run, c, forms[turn%len(forms)], ty, x, room, turn%7)
				turn++
			}
		}
	}
}
