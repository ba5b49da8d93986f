package mergeruns

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestRaces merges under Oclgrind, which reports data races, divergent barriers and accesses
// outside buffers on stderr.
func TestRaces(t *testing.T) {
	kerneltest.UnderOclgrind(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		c.MaxThreadsPerBlock, c.ComputeUnits = 32, 1
		for i, ty := range []key.Type{key.U16, key.F32, key.I64} {
			p := plan.Problem{Kind: op.Merge, Type: ty, Items: 900, Other: 400, Order: key.Order{Desc: i == 2}}
			one(t, r.RunRegions, c, p, uint64(i))
		}
	})
}
