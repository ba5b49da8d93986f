package mergeruns

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestRaces merges under Oclgrind, which reports data races, divergent barriers and accesses
// outside buffers on stderr.
func TestRaces(t *testing.T) {
	drivertest.UnderOclgrind(t, func(t *testing.T) {
		dev := drivertest.Devices(t, opencl.New())[0]
		r, c := kerneltest.NewRunner(t, dev), dev.Caps()
		c.CPU, c.MaxThreadsPerBlock, c.ComputeUnits = false, 32, 1
		for i, ty := range []key.Type{key.U16, key.F32, key.I64} {
			p := plan.Problem{Kind: op.Merge, Type: ty, Items: 900, Other: 400, Order: key.Order{Desc: i == 2}}
			one(t, func(pl plan.Plan, data kerneltest.Regions, shifts kerneltest.Shifts) { r.RunRegions(pl, data, shifts) }, c, p, uint64(i))
		}
	})
}
