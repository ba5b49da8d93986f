package msd

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// Long inputs of 64-bit keys, alone or with values: after two splits, into 65,536
// buckets, some would fill no block. They are sorted in four runs, each a sort of its
// own in place, and merged to scratch and back. A merge pass moves as much as a split,
// and there are two of them where onesweep makes five passes more. 32-bit keys gain
// nothing: onesweep makes four passes in all.
//
// Merges compare keys as their bits, so that only unsigned keys in ascending order go
// this way; onesweep sorts the others.

// longRuns is a power of 4: the last pass writes to the caller's buffer.
const longRuns = 4

// mostItems is the largest input that two splits take, for buckets of a mean size.
func mostItems(mean uint32) uint64 { return uint64(mean) << maxBits }

// mostAtOnce is the largest input like p that two splits take, 0 if there is none.
func mostAtOnce(p plan.Problem, c driver.Caps) uint64 {
	switch p.Mode {
	case plan.Keys:
		if pol, ok := policy(p, c); ok {
			return mostItems(pol.Mean)
		}
	case plan.Pairs:
		if pol, ok := pairsPolicy(p, c); ok {
			return mostItems(pol.Mean)
		}
	}
	return 0
}

// isLong reports whether p is sorted in runs.
func isLong(p plan.Problem, c driver.Caps) bool {
	most := mostAtOnce(p, c)
	return most != 0 && p.Items > most && p.Type.Bits() == 64 && p.Codec() == key.CodecUnsigned
}

// long is a sort in runs.
type long struct {
	p   plan.Problem
	run uint64 // items of each but the last
	// sort plans the sort of a run.
	sort func(plan.Problem) (plan.Plan, error)
}

// longOf cuts p into runs of whole tiles of the merge.
func longOf(p plan.Problem, c driver.Caps) (long, error) {
	tile, err := merge.RunTile(p, c)
	if err != nil {
		return long{}, err
	}
	run := ((p.Items+longRuns-1)/longRuns + tile - 1) / tile * tile
	return long{p: p, run: run, sort: func(q plan.Problem) (plan.Plan, error) { return Plan(q, c, algo.Params{}) }}, nil
}

// runs are the problems of the runs.
func (l long) runs() (runs []plan.Problem) {
	for first := uint64(0); first < l.p.Items; first += l.run {
		q := l.p
		q.Items = min(l.run, l.p.Items-first)
		runs = append(runs, q)
	}
	return runs
}

// supportsLong reports why p cannot be sorted in runs.
func supportsLong(p plan.Problem, c driver.Caps) error {
	l, err := longOf(p, c)
	if err != nil {
		return err
	}
	for _, q := range l.runs() {
		if isLong(q, c) {
			return algo.Unsupported("radix-msd sorts up to %d items in runs, not %d; onesweep sorts any number", longRuns*mostAtOnce(p, c), p.Items)
		}
		if err := supports(q, c); err != nil {
			return err
		}
	}
	return nil
}

// planLong plans the sort of p in runs.
func planLong(p plan.Problem, c driver.Caps) (plan.Plan, error) {
	l, err := longOf(p, c)
	if err != nil {
		return plan.Plan{}, err
	}
	return l.plan(c)
}

// plan sorts the runs and merges them. The runs' scratch lies where that of the merge
// does, and behind.
func (l long) plan(c driver.Caps) (plan.Plan, error) {
	p, b := l.p, plan.NewBuilder("radix-msd", l.p)
	b.Overlap(tune.SM90(c))
	m, err := merge.NewRuns(b, p, c, l.run)
	if err != nil {
		return plan.Plan{}, err
	}
	first := uint64(0)
	for i, q := range l.runs() {
		sub, err := l.sort(q)
		if err != nil {
			return plan.Plan{}, err
		}
		b.Reserve("sorts of the runs", sub.ScratchBytes)
		offset := [...]uint64{
			plan.KeysIO:   first * uint64(p.Type.Bytes()),
			plan.ValuesIO: first * uint64(p.ValueBytes),
			plan.Scratch:  0,
		}
		b.Embed(fmt.Sprintf("run %d", i+1), sub, func(r plan.Ref) plan.Ref { return r.Add(offset[r.Region]) })
		first += q.Items
	}
	m.Append()
	b.Passes(3 + m.Passes())
	return b.Plan(), nil
}
