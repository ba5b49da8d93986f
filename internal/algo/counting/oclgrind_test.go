package counting

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestRaces sorts under Oclgrind, which reports data races, divergent barriers
// and accesses outside buffers on stderr.
func TestRaces(t *testing.T) {
	kerneltest.UnderOclgrind(t, func(t *testing.T, r *kerneltest.Runner, _ driver.Caps) {
		run := func(t *testing.T, p plan.Plan, keys []byte, shift uint64) []byte {
			return r.Run(p, keys, nil, shift, 0)
		}
		c := pocl
		c.SharedPerBlock, c.MaxThreadsPerBlock = 32<<10, 1024
		testMaximum(t, c, run, []int{1000})
		testRange(t, c, run, []int{300})
	})
}
