package counting

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestDevice sorts on every device that is here.
func TestDevice(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		run := func(t *testing.T, p plan.Plan, keys []byte, shift uint64) []byte {
			return r.Run(p, keys, nil, shift, 0)
		}
		t.Run("range", func(t *testing.T) { testRange(t, c, run, sizes) })
		t.Run("maximum", func(t *testing.T) { testMaximum(t, c, run, sizes) })
		if c.Backend == "opencl" && c.CPU {
			// The layout of GPUs; the radix sort behind compiles for minutes.
			c.CPU = false
			t.Run("maximum as a GPU", func(t *testing.T) { testMaximum(t, c, run, []int{1, 257, 20011}) })
		}
	})
}
