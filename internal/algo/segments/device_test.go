package segments

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestDevice sorts segments on every device that is here, a processor's also by groups as other
// devices have.
func TestDevice(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		turns := 1
		if testing.Short() && c.CPU {
			turns = 5
		}
		everyForm(t, r, c, turns)
		if c.CPU {
			c.CPU, c.ComputeUnits, c.MaxThreadsPerBlock, c.SharedPerBlock = false, 1, 64, localBytes
			everyForm(t, r, c, 2*turns+1) // each form takes its own build, some seconds
		}
	})
}

// everyForm takes every so many forms.
func everyForm(t *testing.T, r *kerneltest.Runner, c driver.Caps, turns int) {
	all := forms()
	for i := 0; i < len(all); i += turns {
		onDevice(t, r, c, all[i], i)
	}
	onDeviceRefused(t, r, c)
}

func onDevice(t *testing.T, r *kerneltest.Runner, c driver.Caps, p plan.Problem, turn int) {
	rng := rand.New(rand.NewPCG(uint64(turn), 9))
	large := 5000
	switch {
	case c.Backend == "cuda":
		large = most(p, c)
	case !sortsWhole(c):
		large = int(newTiles(plan.NewBuilder(name, p), p, c).tile)
	}
	for j, l := range append(shapes(rng, large), borders(large)...) {
		p.Items, p.Other = l.items(), uint64(len(l.of))
		if err := Algorithm().Check(p, c); err != nil {
			t.Logf("%v: %v", p, err)
			return
		}
		pl, err := Plan(p, c, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		fill := kerneltest.Distributions[(turn+j)%len(kerneltest.Distributions)]
		keys, values := kerneltest.Input(p, fill, rng)
		got := regions(p, keys, values, l.offsets())
		shift := uint64(turn % 3)
		scratch := r.RunRegions(pl, got, kerneltest.Shifts{shift * uint64(p.Type.Bytes()), shift * uint64(p.ValueBytes), shift * uint64(p.Width)})
		refused(t, pl, scratch, "")
		wantKeys, wantValues := want(p, keys, l.offsets())
		kerneltest.Same(t, fmt.Sprintf("%+v of %s, %s", p, l.name, fill.Name), p, got[0], got[1], wantKeys, wantValues)
	}
}

func onDeviceRefused(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
	for _, k := range refusedCases() {
		for _, p := range refusedForms() {
			p.Items, p.Other = k.items, uint64(len(k.offsets)-1)
			pl, err := Plan(p, c, algo.Params{})
			if err != nil {
				t.Fatal(err)
			}
			keys, values := kerneltest.Input(p, kerneltest.Distributions[0], rand.New(rand.NewPCG(1, 2)))
			in, got := regions(p, keys, values, k.offsets), regions(p, keys, values, k.offsets)
			refused(t, pl, r.RunRegions(pl, got, kerneltest.Shifts{}), k.text)
			unchanged(t, in, got)
		}
	}
}

// borders are segments of every short length, and lengths around a tile's.
func borders(tile int) []lengths {
	var all []int
	for n := range 131 {
		all = append(all, n)
	}
	return []lengths{
		{"every length", 1, 1, all}, {"short and long", 0, 2, []int{128, 129, 0, 3, 131, 0, 0, 127, 128}},
		{"around tiles", 2, 0, []int{tile - 1, tile, tile + 1, 1, 0, 2*tile + 1}},
	}
}
