package suite

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/dispatch"
	"github.com/gpusort/gpusort/internal/driver"
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
		for _, stall := range []uint64{1, 2, 7, 33, 100} {
			a := stalled(stall)
			if !slices.Contains(a.Backends, c.Backend) {
				continue
			}
			e, err := dispatch.New(dispatch.Config{Device: c.ID, Algorithms: []algo.Algorithm{a}, Poison: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []uint64{300007, 4000037} {
				for _, tc := range repeatProblems(n) {
					tc.algorithm, tc.backend = a.Name, c.Backend
					if err := a.Check(tc.p, c); err != nil {
						skip(t, 1, a.Name+" on "+c.ID+": "+err.Error())
						continue
					}
					tally(t, tc.String()+"/stalled", run(e, tc))
				}
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
