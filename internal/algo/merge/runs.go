package merge

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// Runs merges sorted runs that lie one behind the other in the caller's buffers, all of
// as many items but the last, which may be shorter, by merge-path's passes. The merge is
// stable. Keys are compared as their bits; the last pass decodes them.
type Runs struct {
	m   merges
	run uint64
}

// RunTile is the number of items that runs of p must be a multiple of, or why they
// cannot be merged on this device.
func RunTile(p plan.Problem, c driver.Caps) (uint64, error) {
	g, err := pathGeometry(p, c, algo.Params{})
	return g.tile(g.passThreads), err
}

// NewRuns reserves the scratch memory for a merge of runs of so many items: second
// copies of the keys and values of p, in this order, and a table. The steps before
// Append may use it. Runs must double to p in an even number of passes, so that these
// end in the caller's buffers.
func NewRuns(b *plan.Builder, p plan.Problem, c driver.Caps, run uint64) (Runs, error) {
	g, err := pathGeometry(p, c, algo.Params{})
	if err != nil {
		return Runs{}, err
	}
	passes := doublings(p.Items, run)
	if tile := g.tile(g.passThreads); run%tile != 0 || passes%2 != 0 {
		return Runs{}, fmt.Errorf("merge: runs of %d of %d items, in tiles of %d and %d passes", run, p.Items, tile, passes)
	}
	m, err := newSorter(b, p, g, passes).merges(c)
	return Runs{m, run}, err
}

// Passes is the number of passes that Append appends.
func (r Runs) Passes() int { return r.m.passes }

// Append appends the passes.
func (r Runs) Append() { r.m.append(r.run) }
