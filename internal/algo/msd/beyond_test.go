package msd

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestEmulatedBeyond runs the plan for more pairs than two splits take on fewer of them.
// Onesweep sorts whatever the input is; few different keys: TestEmulatedFew.
func TestEmulatedBeyond(t *testing.T) {
	exe := kerneltest.Build(t, "msdpairs", "SM_90")
	types := []key.Type{key.U32, key.F32, key.I32}
	for turn, in := range pairsInputs() {
		if testing.Short() && turn%2 != 0 {
			continue // every other input: onesweep sorts them all
		}
		in.route, in.slow = routeOnesweep, false
		in.name += ", beyond"
		p := plan.Problem{Type: types[turn%3], Mode: plan.Pairs, Order: key.Order{Desc: turn%4 == 1}, ValueBytes: 4 << (turn / 2 % 2), Items: uint64(60001 + turn*7)}
		t.Run(fmt.Sprintf("%s/%v/desc=%v/value=%d", in.name, p.Type, p.Order.Desc, p.ValueBytes), func(t *testing.T) {
			caps := h200
			caps.ComputeUnits = 1 + turn%3
			pl, err := buildBeyond(p, caps)
			if err != nil {
				t.Fatal(err)
			}
			if p.ValueBytes == 8 {
				runPairs[uint32, uint64](t, exe, pl, in, p, minBits, turn)
			} else {
				runPairs[uint32, uint32](t, exe, pl, in, p, minBits, turn)
			}
		})
	}
}

// TestBeyond: pairs of 32-bit keys have that plan where two splits end, as far as the
// look-back words of all tiles fit.
func TestBeyond(t *testing.T) {
	for valueBytes, last := range map[int]uint64{4: 700_000_000, 8: 500_000_000} {
		p := plan.Problem{Type: key.F32, Mode: plan.Pairs, ValueBytes: valueBytes}
		most := mostAtOnce(p, h200)
		for _, n := range []uint64{most, most + 1, last, 1 << 30} {
			p.Items = n
			pl, err := Plan(p, h200, algo.Params{})
			if (err == nil) != (n <= last) {
				t.Errorf("%+v: %v", p, err)
			}
			if err != nil {
				continue
			}
			planBounds(t, p, h200)
			if least := sampleLeast(n, minBits, 1); least > sampleKeys>>minBits {
				t.Errorf("%+v: a sample whose keys are spread evenly over the buckets has fewer than %d in each", p, least)
			}
			if split := slices.ContainsFunc(pl.Steps, func(s plan.Step) bool { return s.Label == "first split" }); split != (n == most) {
				t.Errorf("%+v: splits: %v", p, split)
			}
		}
	}
}
