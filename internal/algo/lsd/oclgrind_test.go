package lsd

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

func sortUnderOclgrind(t *testing.T, r *kerneltest.Runner, own driver.Caps) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, class := range classes[:2] {
		c := own
		c.CPU = true // what Oclgrind says of itself is of no use here
		class.set(&c)
		for _, p := range []plan.Problem{
			{Type: key.U16},
			{Type: key.F32, Mode: plan.Pairs, ValueBytes: 4},
			{Type: key.I64, Mode: plan.Argsort, ValueBytes: 8, Order: key.Order{Desc: true}},
			{Type: key.U8, Mode: plan.Pairs, ValueBytes: 8},
		} {
			tile, small := tileOf(t, p, c)
			check(r, p, c, algo.Params{}, 0, rng, tile-7)
			if class.name == "own" && p.Type.Bits() > 8 {
				continue // small is large there, and a group is one work-item
			}
			check(r, p, c, algo.Params{Blocks: 2}, 0, rng, small+tile+5)
		}
	}
	// Sorted and strictly reversed input.
	c := own
	classes[1].set(&c)
	for _, dist := range []int{3, 5} {
		check(r, plan.Problem{Type: key.I32, Mode: plan.Argsort, ValueBytes: 4}, c, algo.Params{Blocks: 2}, dist, rng, 1000)
	}
}
