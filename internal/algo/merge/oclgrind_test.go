package merge

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

// sortUnderOclgrind keeps to few keys: about four tiles of groups of 32 or 64.
func sortUnderOclgrind(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i, p := range []plan.Problem{
		{Type: key.U16},
		{Type: key.F32, Mode: plan.Pairs, ValueBytes: 4},
		{Type: key.I64, Mode: plan.Argsort, ValueBytes: 8, Order: key.Order{Desc: true}},
		{Type: key.U8, Mode: plan.Pairs, ValueBytes: 8},
	} {
		for _, a := range both {
			c.ComputeUnits = []int{1, 1 << 20}[i%2]
			l := algo.Params{Threads: 32 << (i % 2)}
			n := 4*tileOf(t, a, p, c, l) - 9
			sortOne(r, a, p, c, l, i, n, rng)
			l.Blocks = 3
			sortOne(r, a, p, c, l, 1, n/3, rng)
		}
	}
}
