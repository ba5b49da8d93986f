// Package least plans the first keys of an order, or their positions, and the key at a place
// of the order.
//
// The key at a place is found by its digits from the top: a launch counts the digits of all
// candidates, the keys that have the digits found so far, and the last block of the launch
// chooses the one in which the place lies. The first two launches read all keys; once the
// candidates are few they are listed, and the others read that list. Keys that turn out to lie
// before all candidates are written on the way. The digits of positions follow those of keys
// where equal keys must be told apart. What was written is put in order by a sort.
//
// Source: radix top-k selection as in Zhang et al., "Parallel Top-K Algorithms on GPU" (SC 2023).
package least

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

const source = "radix top-k: Zhang et al., SC 2023"

// Least returns the algorithm of the first keys. The sort that puts them in order is the first of
// sorts that supports it.
func Least(sorts ...algo.Algorithm) algo.Algorithm {
	return algo.Algorithm{
		Name:     "least",
		Doc:      "the first keys or their positions: radix selection, then a sort of those",
		Source:   source,
		Backends: backends,
		Kind:     op.Least,
		Supports: func(p plan.Problem, c driver.Caps) error {
			_, err := planLeast(sorts, p, c)
			return err
		},
		Plan: func(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) { return planLeast(sorts, p, c) },
	}
}

// Select returns the algorithm of the key at a place.
func Select() algo.Algorithm {
	return algo.Algorithm{
		Name:     "select",
		Doc:      "the key at a place of the order: radix selection, about two reads of the keys",
		Source:   source,
		Backends: backends,
		Kind:     op.Select,
		Supports: supports,
		Plan: func(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) {
			if err := supports(p, c); err != nil {
				return plan.Plan{}, err
			}
			return planSelect(p, c), nil
		},
	}
}

// planSelect returns the steps of Select: the search, which leaves the key in the status record.
func planSelect(p plan.Problem, c driver.Caps) plan.Plan {
	b := plan.NewBuilder("select", p)
	s := search{b: b, p: p, c: c, rank: p.Other}
	s.run()
	b.Refuses(s.state)
	return b.Plan()
}

// planLeast returns the steps of Least.
func planLeast(sorts []algo.Algorithm, p plan.Problem, c driver.Caps) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	l := ordering{b: plan.NewBuilder("least", p), sorts: sorts, p: p, c: c}
	switch {
	case p.Other == 0:
	case p.Other > p.Items/4 || p.Items <= short:
		l.whole()
	case p.Mode == plan.Keys:
		l.keys()
	case p.Type.Bits() < 64 && p.Items <= 1<<32:
		l.words()
	default:
		l.positions()
	}
	return l.b.Plan(), l.err
}
