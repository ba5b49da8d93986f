package msd

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// Long inputs of 64-bit keys, alone or with values: after two splits, into 65,536
// buckets, some would fill no block. They are sorted in four runs, each a sort of its
// own in place, and merged to scratch and back. A merge pass moves as much as a split,
// and there are two of them where onesweep makes five passes more. 32-bit keys gain
// nothing: onesweep makes four passes in all.
//
// Input that is skewed or in order onesweep sorts faster by itself: long_gate.go.
//
// Merges compare keys as their bits. Where the order of the keys is another, a launch
// encodes all of them first, the runs are of unsigned keys, and the last pass decodes.
//
// Argsorts: long_argsort.go.

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
	case plan.Argsort:
		if pol, ok := wordPolicy(c); ok {
			return mostItems(pol.Mean)
		}
	}
	return 0
}

// isLong reports whether p is sorted in runs, if at all. Argsorts that cannot be are
// the fallback's.
func isLong(p plan.Problem, c driver.Caps) bool {
	most := mostAtOnce(p, c)
	if p.Type.Bits() != 64 || most == 0 || p.Items <= most {
		return false
	}
	return p.Mode != plan.Argsort || supportsLong(p, c) == nil
}

// long is a sort in runs.
type long struct {
	p   plan.Problem
	run uint64 // items of each but the last
	// sort plans the sort of a run, which does nothing if the gate outer is open.
	sort func(q plan.Problem, outer plan.Arg) (plan.Plan, error)
	// buckets are those of the sort of a run; zero: it heeds no gate. repeated says whether
	// it has a launch for few different keys.
	buckets  bucketing
	repeated bool
}

// longOf cuts p into runs of whole tiles of the merge.
func longOf(p plan.Problem, c driver.Caps) (long, error) {
	tile, err := merge.RunTile(p, c)
	if err != nil {
		return long{}, err
	}
	runs := uint64(longRuns)
	if p.Mode == plan.Argsort {
		runs = argsortRuns
	}
	run := ((p.Items+runs-1)/runs + tile - 1) / tile * tile
	l := long{p: p, run: run, sort: func(q plan.Problem, outer plan.Arg) (plan.Plan, error) { return planBehind(q, c, algo.Params{}, outer) }}
	q := l.runs()[0]
	switch q.Mode {
	case plan.Keys:
		pol, _ := policy(q, c)
		l.buckets = bucketsOf(q, pol)
	case plan.Pairs:
		pol, _ := pairsPolicy(q, c)
		l.buckets = bucketsOfPairs(q, pol)
	}
	l.repeated = fewKeysOf(c).offered
	return l, nil
}

// runs are the problems of the runs: of encoded keys; those of an argsort, with their places.
func (l long) runs() (runs []plan.Problem) {
	for first := uint64(0); first < l.p.Items; first += l.run {
		q := l.p
		q.Items = min(l.run, l.p.Items-first)
		q.Type, q.Order = key.U64, key.Order{}
		if q.Mode == plan.Argsort {
			q.Mode = plan.Pairs
		}
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
		if most := mostAtOnce(q, c); q.Items > most {
			return algo.Unsupported("radix-msd sorts up to %d items in runs, not %d; onesweep sorts any number", longRuns*most, p.Items)
		}
		if err := supports(q, c); err != nil {
			return err
		}
	}
	return nil
}
