package segments

import (
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestPlanTiles: on OpenCL what no segment can be is not launched, and scratch is what the comment
// on planTiles says.
func TestPlanTiles(t *testing.T) {
	c := driver.Caps{Backend: "opencl", ComputeUnits: 132, MaxThreadsPerBlock: 1024, SharedPerBlock: 48 << 10}
	for _, k := range []struct {
		items, other uint64
		launches     int
	}{{0, 0, 1}, {0, 5, 1}, {100, 0, 1}, {128, 3, 2}, {129, 3, 3}, {1920, 1, 3}, {1921, 1, 15}, {1e8, 1e7, 15}} {
		p := plan.Problem{Kind: op.Segments, Type: key.U32, Items: k.items, Other: k.other, Width: 4}
		pl, err := Plan(p, c, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		if pl.Launches() != k.launches || pl.Status == nil {
			t.Errorf("%d keys, %d segments: %d launches, status %v", k.items, k.other, pl.Launches(), pl.Status)
		}
		if bound := p.KeyBytes() + k.items*3/2 + 2<<20; pl.ScratchBytes > bound {
			t.Errorf("%d keys, %d segments: %d bytes of scratch, more than %d", k.items, k.other, pl.ScratchBytes, bound)
		}
	}
	small := c
	small.MaxThreadsPerBlock = leastThreads
	for _, ty := range []key.Type{key.U32, key.U64} {
		p := plan.Problem{Kind: op.Segments, Type: ty, Items: 1e8, Other: 1e6, Width: 4}
		pl, err := Plan(p, small, algo.Params{})
		if bound := p.KeyBytes() + p.Items*26/5 + 2<<20; err != nil || pl.ScratchBytes > bound {
			t.Errorf("%v by small groups: %d bytes of scratch, %v; the bound is %d", ty, pl.ScratchBytes, err, bound)
		}
	}
	p := plan.Problem{Kind: op.Segments, Type: key.U64, Mode: plan.Argsort, ValueBytes: 8, Items: 1e8, Other: 1e6, Width: 8}
	pl, err := Plan(p, c, algo.Params{})
	if bound := 2*p.KeyBytes() + 8*p.Items + p.Items*3/2 + 2<<20; err != nil || pl.ScratchBytes > bound {
		t.Errorf("%d bytes of scratch, %v; the bound is %d", pl.ScratchBytes, err, bound)
	}
}

// TestSortsWhole: a device without groups, or with little memory for one, gets the other form.
func TestSortsWhole(t *testing.T) {
	whole := driver.Caps{Backend: "opencl", MaxThreadsPerBlock: leastThreads, SharedPerBlock: localBytes}
	processor, narrow, little := whole, whole, whole
	processor.CPU, narrow.MaxThreadsPerBlock, little.SharedPerBlock = true, leastThreads-1, localBytes-1
	for i, c := range []driver.Caps{whole, processor, narrow, little} {
		if got := sortsWhole(c); got != (i > 0) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
