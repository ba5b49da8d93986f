package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/plan"
)

// stalled is onesweep with the last argument of its digit pass, which makes
// every stall-th tile publish its counts late, set: its successors then look
// back over many tiles that have no result yet.
func stalled(stall uint64) algo.Algorithm {
	a := onesweep.Algorithm()
	make := a.Plan
	a.Plan = func(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
		pl, err := make(p, c, l)
		for i := range pl.Steps {
			s := &pl.Steps[i]
			if s.Op == plan.OpLaunch && strings.HasPrefix(s.Kernel.Symbol, "gs_onesweep_pass_") {
				s.Args = slices.Clone(s.Args)
				s.Args[len(s.Args)-1].Val = stall
			}
		}
		return pl, err
	}
	return a
}

// TestStalledLookBack forces long look-backs.
func TestStalledLookBack(t *testing.T) {
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		rigs := map[uint64]*rig{}
		for _, stall := range []uint64{1, 2, 7, 33, 100} {
			if a := stalled(stall); slices.Contains(a.Backends, c.Backend) {
				rigs[stall] = openWith(t, engine.Config{Device: c.ID, Algorithms: []algo.Algorithm{a}, Poison: true})
			}
		}
		if len(rigs) == 0 {
			return
		}
		a := stalled(0)
		for _, n := range []uint64{300007, 4300037} { // with one table of counters in the histogram, and with columns
			for _, tc := range repeatProblems(n) {
				tc.algorithm, tc.backend = a.Name, c.Backend
				if err := a.Check(tc.p, c); err != nil {
					skip(t, len(rigs), a.Name+" on "+c.ID+": "+err.Error())
					continue
				}
				in := newInput(tc)
				for stall, r := range rigs {
					tally(t, fmt.Sprintf("%v/stalled=%d", tc, stall), in.run(r, tc))
				}
				in.free()
			}
		}
	})
}
