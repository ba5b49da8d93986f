package bitonic

import (
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestRaces sorts under Oclgrind, which reports data races, divergent barriers
// and accesses outside buffers on stderr.
func TestRaces(t *testing.T) { kerneltest.UnderOclgrind(t, sortUnderOclgrind) }

// sortUnderOclgrind takes a device with little room, so that tiles are small and
// stages above them few keys away.
func sortUnderOclgrind(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
	rng := rand.New(rand.NewPCG(5, 6))
	c.MaxThreadsPerBlock, c.SharedPerBlock = 64, 1<<10
	for i, v := range all {
		check(r, v, plan.Problem{Type: key.I32}, c, algo.Params{Threads: 32}, i%len(kerneltest.Distributions), rng, 1100)
	}
	check(r, Best, plan.Problem{Type: key.F32, Mode: plan.Pairs, ValueBytes: 4}, c, algo.Params{Threads: 33}, 1, rng, 700)
	check(r, Shared, plan.Problem{Type: key.I64, Mode: plan.Argsort, ValueBytes: 8, Order: key.Order{Desc: true}}, c, algo.Params{}, 2, rng, 300)
	c.CPU = true // a group is one work-item
	check(r, Best, plan.Problem{Type: key.U16}, c, algo.Params{}, 0, rng, 1100)
	check(r, Shared, plan.Problem{Type: key.U8}, c, algo.Params{}, 0, rng, 700)
}
