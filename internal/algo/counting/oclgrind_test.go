package counting

import (
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestRaces sorts under Oclgrind, which reports data races, divergent barriers
// and accesses outside buffers on stderr.
func TestRaces(t *testing.T) {
	kerneltest.UnderOclgrind(t, func(t *testing.T, r *kerneltest.Runner, _ driver.Caps) {
		run := func(t *testing.T, p plan.Plan, keys []byte, shift uint64) []byte {
			if testing.Short() && strings.Contains(t.Name(), "past_") {
				absent.Skip(t, "a run without -short", "counters in device memory take Oclgrind a third of its time")
			}
			return r.Run(p, keys, nil, shift, 0)
		}
		c := pocl
		c.SharedPerBlock, c.MaxThreadsPerBlock = 32<<10, 1024
		testMaximum(t, c, run, []int{1000})
		testRange(t, c, run, []int{300})
	})
}
