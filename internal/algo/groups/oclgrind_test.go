package groups

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
)

// TestRaces finds groups under Oclgrind: several tiles of two shares.
func TestRaces(t *testing.T) {
	kerneltest.UnderOclgrind(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		c.MaxThreadsPerBlock, c.ComputeUnits = 32, 1
		for i, f := range forms {
			ty := []key.Type{key.U8, key.U32, key.F64}[i%3]
			x := keysOf(rand.New(rand.NewPCG(uint64(i), 5)), ty, shareStep+700, []int{1, 30}[i%2])
			values, _ := expected(x)
			check(t, r.RunRegions, c, f, ty, x, len(values)-i%2, i)
		}
	})
}
