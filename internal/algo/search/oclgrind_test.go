package search

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestRaces searches under Oclgrind, which reports data races, divergent barriers and accesses
// outside buffers on stderr: in one to three levels of samples, and without any.
func TestRaces(t *testing.T) {
	kerneltest.UnderOclgrind(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		c.MaxThreadsPerBlock, c.ComputeUnits, c.SharedPerBlock = 32, 1, 256
		for i, ty := range []key.Type{key.U8, key.F32, key.I64} {
			for _, queries := range []uint64{30, 500} {
				p := plan.Problem{
					Kind: op.Search, Type: ty, Mode: op.Argsort, ValueBytes: 4 + i%2*4, Items: queries, Other: 1003, Order: key.Order{Desc: i == 2},
				}
				one(t, r.RunRegions, c, p, uint64(i))
			}
		}
	})
}
