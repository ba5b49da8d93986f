package merge

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// Runs merges sorted runs that lie one behind the other, all of as many items but the
// last, which may be shorter, by merge-path's passes: in the caller's buffers (NewRuns),
// or as the argsorts of two runs in scratch memory (NewArgsortRuns). The merge is stable.
// Keys are compared as their bits; the last pass decodes them.
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
	g, passes, err := runsGeometry(p, c, run)
	if err == nil && passes%2 != 0 {
		err = fmt.Errorf("merge: runs of %d of %d items take %d passes", run, p.Items, passes)
	}
	if err != nil {
		return Runs{}, err
	}
	m, err := newSorter(b, p, g, passes).merges(c)
	return Runs{m, run}, err
}

// NewArgsortRuns reserves the scratch memory for a merge of two argsorts, of the first
// `run` keys of p and of the rest: places for all indices, encoded keys for all keys, in this
// order, and a table. The steps before Append fill the first two, run by run: places
// among all keys, and the encoded keys of the keys there. The one pass writes the caller's
// indices, and no keys. Until Append, the memory behind the encoded keys is free.
func NewArgsortRuns(b *plan.Builder, p plan.Problem, c driver.Caps, run uint64) (r Runs, places, encodedKeys plan.Ref, err error) {
	g, passes, err := runsGeometry(p, c, run)
	if err == nil && passes != 1 {
		err = fmt.Errorf("merge: argsorts of %d of %d items take %d passes", run, p.Items, passes)
	}
	if err != nil {
		return r, places, encodedKeys, err
	}
	places = b.Scratch("places", p.ValuesBytes())
	encodedKeys = b.Scratch("encoded keys", p.KeyBytes())
	s := &sorter{b: b, p: p, g: g, passes: passes, keys: [2]plan.Ref{encodedKeys, encodedKeys}, values: [2]plan.Ref{{Region: plan.ValuesIO}, places}}
	m, err := s.merges(c)
	return Runs{m, run}, places, encodedKeys, err
}

// runsGeometry is the geometry of the passes, and how many merge runs of so many items,
// which must be whole tiles.
func runsGeometry(p plan.Problem, c driver.Caps, run uint64) (g geometry, passes int, err error) {
	if g, err = pathGeometry(p, c, algo.Params{}); err != nil {
		return g, 0, err
	}
	if tile := g.tile(g.passThreads); run%tile != 0 {
		err = fmt.Errorf("merge: runs of %d items, in tiles of %d", run, tile)
	}
	return g, doublings(p.Items, run), err
}

// Passes is the number of passes that Append appends.
func (r Runs) Passes() int { return r.m.passes }

// Second returns the second copies of the keys and, of pairs, of the values.
func (r Runs) Second() (keys, values plan.Ref) { return r.m.keys[1], r.m.values[1] }

// Append appends the passes. They do nothing if the word at gate, which an earlier
// launch writes, holds onesweep.GateOpen; gate is an argument of the launches, and 0 if
// there is none.
func (r Runs) Append(gate plan.Arg) { r.m.append(r.run, gate) }
