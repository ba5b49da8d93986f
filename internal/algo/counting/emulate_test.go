package counting

import (
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestEmulated runs the CUDA kernels on the host.
func TestEmulated(t *testing.T) {
	for _, c := range []driver.Caps{h200, gtx1050} {
		target := "SM_90"
		if c.Arch < 90 {
			target = "PTX"
		}
		if testing.Short() && target == "PTX" {
			continue // the same kernels with narrower blocks: compiled for as long again
		}
		c.ComputeUnits = 2
		t.Run(target, func(t *testing.T) {
			exe := kerneltest.Build(t, "counting", target)
			run := func(t *testing.T, p plan.Plan, keys []byte, shift uint64) []byte {
				return exe.Run(t, p, keys, nil, shift, 0, together)
			}
			t.Run("range", func(t *testing.T) { testRange(t, c, run, []int{1, 2, 33, 1000, 20011}) })
			t.Run("maximum", func(t *testing.T) { testMaximum(t, c, run, []int{0, 1, 3, 33, 257, 4097, 20011}) })
		})
	}
}

// together: blocks that wait for one another run at once.
func together(symbol string) int {
	if strings.Contains(symbol, "lookback") || strings.Contains(symbol, "_pass_") {
		return 3
	}
	return 1
}
