package algo

import (
	"strings"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Scan is one prefix sum that runs as steps of a plan: a stage of a sort, or
// alone, to be measured.
type Scan struct {
	// Name is the catalogue name: "scan-lookback".
	Name string
	// Doc is one line for tables; Source is the paper or report.
	Doc, Source string
	// Backends lists the drivers that have its device code.
	Backends []string
	// Supports says why s cannot be summed on a device with capabilities c with
	// launch parameters l, or returns nil. Its errors wrap driver.ErrUnsupported.
	Supports func(s Sum, c driver.Caps, l Params) error
	// Append adds the steps that replace the elements of s by their prefix sums,
	// and the scratch that they need. It needs a sum that Check accepts.
	Append func(b *plan.Builder, s Sum, c driver.Caps, l Params)
}

// Sum is what a Scan sums: Items unsigned elements of Bits bits (32 or 64) at
// Data, aligned to their width, in place and modulo 2^Bits.
type Sum struct {
	Data      plan.Ref
	Items     uint64
	Bits      int
	Inclusive bool // element i becomes the sum up to and with it; else up to and without it
	// Limit, if set, is a 32-bit word that earlier steps write: only the first
	// *Limit elements need be summed. Items bounds it.
	Limit *plan.Ref
}

// Check reports why s cannot be summed so.
func (a Scan) Check(s Sum, c driver.Caps, l Params) error {
	if s.Bits != 32 && s.Bits != 64 {
		return Unsupported("%s sums elements of 32 and 64 bits, not of %d", a.Name, s.Bits)
	}
	for _, b := range a.Backends {
		if b == c.Backend {
			return a.Supports(s, c, l)
		}
	}
	return Unsupported("%s has no device code for %s, only for %s", a.Name, c.Backend, strings.Join(a.Backends, ", "))
}

// inclusiveSuffix ends the name of a Scan's inclusive form.
const inclusiveSuffix = "-inclusive"

// Algorithm returns the scan as something that runs by itself: its plan replaces
// the keys, u32 or u64, by their prefix sums. The inclusive form has a name of
// its own, "scan-lookback-inclusive". It is no sort: see Algorithm.Kind.
func (a Scan) Algorithm(inclusive bool) Algorithm {
	name, kind := a.Name, op.ExclusiveSums
	if inclusive {
		name, kind = name+inclusiveSuffix, op.InclusiveSums
	}
	sum := func(p plan.Problem) Sum {
		return Sum{Data: plan.Ref{Region: plan.KeysIO}, Items: p.Items, Bits: p.Type.Bits(), Inclusive: inclusive}
	}
	check := func(p plan.Problem, c driver.Caps, l Params) error {
		if p.Type != key.U32 && p.Type != key.U64 || p.Order.Desc {
			return Unsupported("%s sums u32 and u64 in ascending order of place, not %v", name, p.Type)
		}
		return a.Check(sum(p), c, l)
	}
	return Algorithm{
		Name: name, Doc: a.Doc, Source: a.Source, Study: true, Backends: a.Backends, Kind: kind,
		Supports:     func(p plan.Problem, c driver.Caps) error { return check(p, c, Params{}) },
		SupportsWith: check,
		Plan: func(p plan.Problem, c driver.Caps, l Params) (plan.Plan, error) {
			if err := check(p, c, l); err != nil {
				return plan.Plan{}, err
			}
			b := plan.NewBuilder(name, p)
			a.Append(b, sum(p), c, l)
			b.Passes(1)
			return b.Plan(), nil
		},
	}
}
