package bitonic

import (
	"fmt"
	"math/rand/v2"
	"strings"
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

// all lists the variants.
var all = []Variant{Naive, Grid, Div, Pairs, Presort, SharedStep, Shared, Best}

// classes are the kinds of device whose layouts an OpenCL device can run: its
// own, and a GPU with groups of many work-items.
var classes = []struct {
	name string
	set  func(*driver.Caps)
}{
	{"own", func(c *driver.Caps) {}},
	{"gpu", func(c *driver.Caps) { c.CPU, c.MaxThreadsPerBlock, c.SharedPerBlock = false, 256, 32<<10 }},
}

// check sorts one input and compares with the reference.
func check(r *kerneltest.Runner, v Variant, p plan.Problem, c driver.Caps, l algo.Params, dist int, rng *rand.Rand, n int) {
	r.T.Helper()
	p.Items = uint64(n)
	d := kerneltest.Distributions[dist]
	keys, values := kerneltest.Input(p, d, rng)
	pl, err := makePlan(v, p, c, l)
	if err != nil {
		r.T.Fatal(err)
	}
	wantKeys, wantValues := kerneltest.Want(p, keys, values)
	align := max(p.Type.Bytes(), p.ValueBytes)
	gotKeys, gotValues := r.Sorted(pl, kerneltest.Pack(keys, p.Type.Bytes()), kerneltest.Pack(values, p.ValueBytes), uint64(align*rng.IntN(5)))
	id := fmt.Sprintf("%v, %v %v %d %+v, %d keys, %s, %+v", v, p.Type, p.Mode, p.ValueBytes, p.Order, n, d.Name, l)
	kerneltest.Same(r.T, id, p, gotKeys, gotValues, wantKeys, wantValues)
}

// eachDevice runs f for every device and class of layouts.
func eachDevice(t *testing.T, f func(t *testing.T, r *kerneltest.Runner, c driver.Caps)) {
	for _, drv := range []driver.Driver{opencl.New(), cuda.New()} {
		t.Run(drv.Name(), func(t *testing.T) {
			for _, dev := range drivertest.Devices(t, drv) {
				for _, class := range classes {
					c := dev.Caps()
					if class.name != "own" && (drv.Name() != "opencl" || !c.CPU) {
						continue
					}
					class.set(&c)
					t.Run(c.ID+"/"+class.name, func(t *testing.T) { f(t, kerneltest.NewRunner(t, dev), c) })
				}
			}
		})
	}
}

// TestSort sorts every form of every type by every variant: sizes and
// distributions take turns.
func TestSort(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		for _, v := range all {
			t.Run(v.String(), func(t *testing.T) {
				r.T = t
				rng := rand.New(rand.NewPCG(uint64(v), 2))
				turn := int(v)
				for i, row := range key.Table() {
					if testing.Short() && strings.Contains(t.Name(), "/own/") && (i+int(v))%2 != 0 {
						continue // each type by every second variant
					}
					if testing.Short() && strings.Contains(t.Name(), "/gpu/") && row.Type != key.I32 {
						continue // the kernels of 64 bits are compiled for seconds
					}
					if strings.Contains(t.Name(), "/gpu/") && row.Type != key.I32 && row.Type != key.F64 && !soak.Every() {
						continue // a processor's compiler takes minutes for all widths
					}
					for _, p := range kerneltest.Forms(row.Type) {
						p.Items = 1 << 20
						tl, err := tileOf(v, elementBits(p), p.Items, c, algo.Params{})
						if err != nil {
							t.Fatal(err)
						}
						tile := 1 << tl.log
						sizes := []int{0, 1, 2, 3, 5, 31, 33, 100, 1000, tile - 1, tile, tile + 1, 2*tile + 7, 3*tile - 1, 5*tile + 3}
						for i := range 2 {
							turn++
							if testing.Short() && i == 1 {
								continue // a processor runs unoptimised kernels for half a minute
							}
							check(r, v, p, c, algo.Params{}, turn%len(kerneltest.Distributions), rng, sizes[turn*7%len(sizes)])
						}
					}
				}
			})
		}
	})
}

// TestEverySize sorts all small sizes, and sizes around powers of two.
func TestEverySize(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		rng := rand.New(rand.NewPCG(7, 2))
		sizes := []int{1023, 1024, 1025, 4097, 8191, 8193, 16384, 20001, 1<<17 - 3}
		take := soak.Share(t, 2, 1)
		for n := range 70 {
			if n < 10 || take() {
				sizes = append(sizes, n)
			}
		}
		for i, n := range sizes {
			for _, v := range all {
				if testing.Short() && n > 10000 && v != Best {
					continue // dozens of launches over the whole input in each other variant
				}
				check(r, v, plan.Problem{Type: key.U32}, c, algo.Params{}, i%len(kerneltest.Distributions), rng, n)
			}
		}
	})
}

// layouts are blocks × threads, and what is 0 is the policy's. A new number of
// threads is a new build of every kernel on PoCL.
var layouts = []algo.Params{
	{Threads: 1, Blocks: 1}, {Threads: 64}, {Threads: 64, Blocks: 1}, {Threads: 64, Blocks: 1000}, {Threads: 33, Blocks: 2},
	{Threads: 33, Blocks: 7}, {Blocks: 1}, {Blocks: 1000}, {Threads: 512, Blocks: 3}, {Threads: 1024, Blocks: 2},
}

// TestLayouts sorts with every layout that a variant takes: all but those that
// it refuses with a reason, which TestLimits looks at.
func TestLayouts(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		rng := rand.New(rand.NewPCG(8, 2))
		for _, v := range all {
			if testing.Short() && v != Grid && v != Shared {
				continue // one form in global and one in local memory: each layout is a build of each form
			}
			ran := 0
			for i, l := range layouts {
				if c.CPU && l.Threads > 64 {
					continue // the GPU class has them refused, CUDA runs them
				}
				p := plan.Problem{Type: key.I32, Items: uint64(9001 + 1000*i)}
				if i == 4 {
					p = plan.Problem{Type: key.F64, Mode: plan.Argsort, ValueBytes: 4, Items: 5000}
				}
				if _, err := makePlan(v, p, c, l); err != nil {
					continue
				}
				check(r, v, p, c, l, i%len(kerneltest.Distributions), rng, int(p.Items))
				ran++
			}
			if ran < 6 {
				t.Errorf("%v ran with %d layouts only", v, ran)
			}
		}
	})
}
