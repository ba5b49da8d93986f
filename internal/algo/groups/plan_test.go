package groups

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestPlan: keys of as many tiles as run at once take one cooperative launch and no memset, more of them two steps, no
// keys no launch; equal problems have equal plans.
func TestPlan(t *testing.T) {
	c := devices["SM_90"]
	c.ComputeUnits = 132
	bytes, _ := geometry(c)
	for _, w := range []struct {
		items           uint64
		steps, launches int
		grid            uint32
	}{
		{0, 2, 0, 0}, {1, 1, 1, 1}, {bytes/4 - 3, 1, 1, 1}, {bytes/4 - 2, 1, 1, 2},
		{396*bytes/4 - 3, 1, 1, 396}, {396*bytes/4 - 2, 2, 1, 396}, {100_000_000, 2, 1, 396}, {1 << 34, 2, 1, 396},
	} {
		p := plan.Problem{Kind: op.Groups, Mode: plan.Pairs, ValueBytes: 8, Type: key.U32, Items: w.items, Other: w.items}
		pl, err := Plan(p, c, noParams)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Plan(p, c, noParams); !reflect.DeepEqual(pl, again) {
			t.Errorf("%d keys: two plans differ", w.items)
		}
		if len(pl.Steps) != w.steps || pl.Launches() != w.launches {
			t.Errorf("%d keys: %d steps, %d launches; want %d and %d",
				w.items, len(pl.Steps), pl.Launches(), w.steps, w.launches)
		}
		if last := pl.Steps[len(pl.Steps)-1]; w.launches != 0 && last.Grid[0] != w.grid {
			t.Errorf("%d keys: %d blocks, want %d", w.items, last.Grid[0], w.grid)
		}
		if last := pl.Steps[len(pl.Steps)-1]; w.launches != 0 && last.Cooperative != (w.steps == 1) {
			t.Errorf("%d keys: cooperative is %v", w.items, last.Cooperative)
		}
		if pl.ScratchBytes > p.ScratchBound() {
			t.Errorf("%d keys: %d bytes of scratch memory", w.items, pl.ScratchBytes)
		}
	}
}

// TestUnsupported: what cannot be planned is refused as unsupported, by Algorithm's check too.
func TestUnsupported(t *testing.T) {
	c := devices["PTX"]
	old, still, small := c, c, c
	old.Arch, still.ForwardProgress = 52, false
	small.SharedPerBlock, small.SharedPerBlockMax = 16<<10, 0
	good := plan.Problem{Kind: op.Groups, Type: key.U32, Items: 10, Other: 10}
	with := func(f func(p *plan.Problem)) plan.Problem { p := good; f(&p); return p }
	for what, w := range map[string]struct {
		p plan.Problem
		c driver.Caps
	}{
		"compute capability 5.2": {good, old},
		"no forward progress":    {good, still},
		"little shared memory":   {good, small},
		"keys of 128 bits":       {with(func(p *plan.Problem) { p.Type = key.U128 }), c},
		"short starts": {with(func(p *plan.Problem) {
			p.Mode, p.ValueBytes, p.Items = plan.Argsort, 4, math.MaxUint32+1
		}), c},
		"too many tiles": {with(func(p *plan.Problem) { p.Items = 1 << 60 }), c},
		"equal zeros":    {with(func(p *plan.Problem) { p.Type, p.Order.EqualZeros = key.F32, true }), c},
		"a sort":         {with(func(p *plan.Problem) { p.Kind, p.Other = op.Sort, 0 }), c},
	} {
		if err := Algorithm().Check(w.p, w.c); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := Algorithm().Check(good, c); err != nil {
		t.Error(err)
	}
}
