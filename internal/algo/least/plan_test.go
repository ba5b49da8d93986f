package least

import (
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/msd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/algo/small"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestPlans: with the library's sorts everything can be planned for a large device, also more
// than 2^32 keys, and the scratch memory stays within twice the keys and what the sort of those
// found may take.
func TestPlans(t *testing.T) {
	a := Least(small.Block(), small.Grid(), msd.Algorithm(), onesweep.Algorithm(), lsd.Algorithm)
	c := h200
	c.ComputeUnits = 132
	for _, ty := range types {
		for _, n := range []uint64{0, 1, 4096, 4097, 100_000, 100_000_000, 1<<33 + 1} {
			for _, k := range []uint64{0, 1, 10, n / 100, n / 4, n/4 + 1, n} {
				for _, valueBytes := range []int{0, 4, 8} {
					p := plan.Problem{Kind: op.Least, Type: ty, Items: n, Other: min(k, n), ValueBytes: valueBytes}
					if valueBytes != 0 {
						p.Mode = plan.Argsort
					}
					if p.Validate() != nil {
						continue
					}
					pl, err := a.Plan(p, c, algo.Params{})
					if err != nil || a.Check(p, c) != nil {
						t.Fatalf("%+v: %v", p, err)
					}
					bound := 2*p.KeyBytes() + 2*p.ValuesBytes() + 8*p.Other*16 + 64_000_000
					if pl.ScratchBytes > bound {
						t.Errorf("%+v: %d bytes of scratch, bound %d", p, pl.ScratchBytes, bound)
					}
				}
			}
		}
	}
	p := plan.Problem{Kind: op.Least, Type: key.F32, Mode: plan.Argsort, ValueBytes: 4, Items: 9, Other: 3}
	if p.Order.EqualZeros = true; a.Check(p, c) == nil {
		t.Error("positions by an order in which zeros tie: no error")
	}
	if p.Mode, p.ValueBytes = plan.Keys, 0; a.Check(p, c) != nil {
		t.Error("keys alone come out the same by an order in which zeros tie")
	}
}
