package search

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestRaces searches under Oclgrind, which reports data races, divergent barriers and accesses
// outside buffers on stderr: in two levels of samples, and without any.
func TestRaces(t *testing.T) {
	drivertest.UnderOclgrind(t, func(t *testing.T) {
		dev := drivertest.Devices(t, opencl.New())[0]
		r, c := kerneltest.NewRunner(t, dev), dev.Caps()
		c.CPU, c.MaxThreadsPerBlock, c.ComputeUnits, c.SharedPerBlock = false, 32, 1, 256
		for i, ty := range []key.Type{key.U8, key.F32, key.I64} {
			for _, queries := range []uint64{30, 500} {
				p := plan.Problem{
					Kind: op.Search, Type: ty, Mode: op.Argsort, ValueBytes: 4 + i%2*4, Items: queries, Other: 1003, Order: key.Order{Desc: i == 2},
				}
				one(t, func(pl plan.Plan, data kerneltest.Regions, shifts kerneltest.Shifts) { r.RunRegions(pl, data, shifts) }, c, p, uint64(i))
			}
		}
	})
}
