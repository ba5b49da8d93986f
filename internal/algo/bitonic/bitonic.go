// Package bitonic plans sorts by a bitonic network (Batcher 1968) in the forms
// of the reports, from one launch per step with a thread per element to tiles
// that are sorted in registers.
//
// All use the form of the network whose comparators put the smaller element at
// the lower position: stage k merges sorted runs of 2^(k-1) into runs of 2^k; its
// first step compares i with the mirror image i ^ (2^k - 1), the following ones
// with i ^ 2^j, j = k-2 … 0. An infinite element at a position from n on then
// never moves. Such positions need no memory, so that n may be any number and
// nothing is padded.
//
// Keys are sorted in place without scratch memory. For pairs and argsort the
// network sorts elements of 64 or 128 bits in the scratch memory: the encoded key
// with the position that it came from, which makes the order stable; values
// follow by one gather. docs/algorithms/bitonic.md shows the data movement.
package bitonic

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// Variant is one way to run the network.
type Variant uint8

// The variants, in the order of the reports.
const (
	Naive      Variant = iota // a launch per step, a thread per element, partner test
	Grid                      // the same by a fixed number of threads
	Div                       // a thread per pair, found by division
	Pairs                     // a thread per pair, found by shifts
	Presort                   // the stages that fit in shared memory in one launch
	SharedStep                // also each later step that fits, a launch each
	Shared                    // all steps of a stage that fit in one launch
	Best                      // registers, shuffles, several steps per pass
)

// variants is the table of the family, by Variant.
var variants = [...]struct{ name, doc, source string }{
	Naive:      {"bitonic-naive", "bitonic network: a launch per step, a thread per element, partner test", "reports 001, 003, 004"},
	Grid:       {"bitonic-grid", "bitonic network: a launch per step, any blocks × threads stride over the elements", "report 001"},
	Div:        {"bitonic-div", "bitonic network: a launch per step, a thread per pair, index by division", "report 004"},
	Pairs:      {"bitonic-pairs", "bitonic network: a launch per step, a thread per pair, index by shifts", "reports 003, 004"},
	Presort:    {"bitonic-presort", "bitonic network: first stages in shared memory, then a launch per step", "report 003"},
	SharedStep: {"bitonic-shared-step", "bitonic network: each step that fits runs from shared memory, a launch per step", "report 003"},
	Shared:     {"bitonic-shared", "bitonic network: all steps of a stage that fit in shared memory in one launch", "reports 003, 004"},
	Best:       {"bitonic", "bitonic network: tiles in registers, up to four steps per pass over device memory", "report 003's wishes"},
}

func (v Variant) String() string { return variants[v].name }

// Algorithm returns the catalogue entry of a variant.
func Algorithm(v Variant) algo.Algorithm {
	return algo.Algorithm{
		Name: variants[v].name, Doc: variants[v].doc, Source: variants[v].source, Study: true,
		Backends: []string{"cuda", "opencl"},
		Supports: func(p plan.Problem, c driver.Caps) error {
			_, err := newSorter(v, p, c, algo.Params{})
			return err
		},
		Plan: func(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
			return makePlan(v, p, c, l)
		},
	}
}

// makePlan returns the steps of p. Launch parameters hold for every launch.
func makePlan(v Variant, p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	s, err := newSorter(v, p, c, l)
	if err != nil {
		return plan.Plan{}, err
	}
	switch {
	case p.Items == 0 || p.Items == 1 && p.Mode != plan.Argsort:
	case p.Mode == plan.Keys:
		s.data, s.in, s.out = plan.Ref{Region: plan.KeysIO}, p.Codec(), p.Codec()
		s.network()
	default:
		s.withValues()
	}
	s.b.Passes(s.passes)
	return s.b.Plan(), nil
}
