package segments

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestRaces sorts segments under Oclgrind, which reports data races, divergent barriers and
// accesses outside buffers on stderr.
func TestRaces(t *testing.T) {
	kerneltest.UnderOclgrind(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		c.MaxThreadsPerBlock, c.ComputeUnits, c.SharedPerBlock = leastThreads, 1, localBytes
		for i, p := range []plan.Problem{
			{Kind: op.Segments, Type: key.U16, Width: 4}, {Kind: op.Segments, Type: key.F32, Width: 8, Mode: plan.Argsort, ValueBytes: 4},
		} {
			l := lengths{of: []int{20, 0, 128, 129, 1200, 3, 7}}
			p.Items, p.Other = l.items(), uint64(len(l.of))
			pl, err := Plan(p, c, algo.Params{})
			if err != nil {
				t.Fatal(err)
			}
			keys, values := kerneltest.Input(p, kerneltest.Distributions[0], rand.New(rand.NewPCG(uint64(i), 3)))
			got := regions(p, keys, values, l.offsets())
			refused(t, pl, r.RunRegions(pl, got, kerneltest.Shifts{}), "")
			wantKeys, wantValues := want(p, keys, l.offsets())
			kerneltest.Same(t, "under Oclgrind", p, got[0], got[1], wantKeys, wantValues)
		}
	})
}
