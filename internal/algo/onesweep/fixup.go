package onesweep

import (
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

// RunsBytes returns the size of Gated.Runs for so many keys: how many digits are left out,
// how many runs are listed and how many of them for the grid, two words a tile, and one for
// each run that may be the grid's.
func RunsBytes(items uint64) uint64 {
	return 4 * (3 + 2*((items+layout.FixUpTile-1)/layout.FixUpTile) + items/layout.FixUpAlone)
}

// low is the kernels' argument: where the histogram says how many digits have no pass, and
// behind it what fixing up needs; or 0.
func (g Gated) low(p plan.Problem, t tiling, wide bool) plan.Arg {
	if !g.Runs.IsRef || !t.sweeps && t.fixUps == 0 || !wide || p.Type.Bits() != 64 {
		return plan.U64(0)
	}
	return g.Runs
}
