package merge

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// layouts are launch parameters that users may give.
var layouts = []algo.Params{{}, {Threads: 32}, {Threads: 64, Blocks: 1}, {Threads: 32, Blocks: 5}, {Threads: 128, Blocks: 3}, {Blocks: 2}, {Threads: 256}, {Threads: 64, Blocks: 1000}}

// sortOne sorts one input and compares with the reference.
func sortOne(r *kerneltest.Runner, a algo.Algorithm, p plan.Problem, c driver.Caps, l algo.Params, dist, n int, rng *rand.Rand) {
	r.T.Helper()
	s := newSample(rng, p, dist, n)
	what := fmt.Sprintf("%s %+v, %s", a.Name, l, distributions[dist%len(distributions)].Name)
	pl, err := a.Plan(s.p, c, l)
	if err != nil {
		r.T.Fatalf("%s: %v", what, err)
	}
	shift := rng.IntN(5)
	keys, values := bytes.Clone(s.keys), bytes.Clone(s.values)
	r.Run(pl, keys, values, uint64(shift*p.Type.Bytes()), uint64(shift*p.ValueBytes))
	s.check(r.T, what, keys, values)
}

// TestSort sorts every form of every type: awkward sizes and distributions in
// turn, each type in two layouts; a processor also runs the other devices' class
// of kernels, for some types.
func TestSort(t *testing.T) {
	for _, drv := range []driver.Driver{opencl.New(), cuda.New()} {
		t.Run(drv.Name(), func(t *testing.T) {
			for _, dev := range drivertest.Devices(t, drv) {
				c := dev.Caps()
				for _, row := range key.Table() {
					// A device's compiler works anew for each size of group: two for
					// each width of keys are enough here, and one under -short.
					at := row.Bits / 8
					two := [2]algo.Params{layouts[at%len(layouts)], layouts[(at+3)%len(layouts)]}
					if testing.Short() {
						two[1] = two[0]
					}
					t.Run(c.ID+"/"+row.Name, func(t *testing.T) { sortType(t, dev, c, row.Type, two) })
					// Under -short the narrowest keys only: the kernels of wider ones are compiled for a minute.
					if c.CPU && (row.Type == key.I8 || row.Type == key.F32 && !testing.Short() || soak.Every()) {
						gpu := c
						gpu.CPU = false
						t.Run(c.ID+"/gpu/"+row.Name, func(t *testing.T) {
							sortType(t, dev, gpu, row.Type, [2]algo.Params{{Threads: 32}, {Threads: 64, Blocks: 3}})
						})
					}
				}
			}
		})
	}
}

func sortType(t *testing.T, dev driver.Device, c driver.Caps, typ key.Type, two [2]algo.Params) {
	seed := uint64(typ) + 77
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	r := kerneltest.NewRunner(t, dev)
	turn := int(typ)
	for _, p := range kerneltest.Forms(typ) {
		for _, a := range both {
			for _, n := range []int{0, 1, 2, 3, 31, 32, 33, 65, 1000} {
				sortOne(r, a, p, c, two[turn%2], turn, n, rng)
				turn++
			}
			for range 4 {
				l := two[turn%2]
				tile := tileOf(t, a, p, c, l)
				n := []int{tile - 1, tile, tile + 1, 2*tile + 1, 3*tile - 7, 1 + rng.IntN(9*tile)}[rng.IntN(6)]
				few := c
				few.ComputeUnits = []int{1, 1 << 20}[turn/2%2] // with and without partition launches
				sortOne(r, a, p, few, l, turn, n, rng)
				turn++
			}
		}
	}
}

// TestLayoutsSort sorts one input in all layouts.
func TestLayoutsSort(t *testing.T) {
	for _, dev := range drivertest.Devices(t, opencl.New()) {
		r, c := kerneltest.NewRunner(t, dev), dev.Caps()
		rng := rand.New(rand.NewPCG(4, 4))
		for _, a := range both {
			for i, l := range layouts {
				if testing.Short() && l.Threads > 64 {
					continue // larger groups are two builds more of every kernel
				}
				sortOne(r, a, plan.Problem{Type: key.F32, Mode: plan.Pairs, ValueBytes: 4}, c, l, i, 20011, rng)
			}
			sortOne(r, a, plan.Problem{Type: key.U32}, c, algo.Params{}, 0, 1<<18+3, rng)
		}
	}
}
