package bitonic

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// slowEnv is the environment variable that asks for the tests that take minutes.
const slowEnv = "GPUSORT_SLOW"

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

// forms are all ways to sort one type.
func forms(t key.Type) (out []plan.Problem) {
	orders := []key.Order{{}, {Desc: true}}
	if t.Row().Kind == key.Float {
		orders = append(orders, key.Order{NaNLast: true}, key.Order{Desc: true, NaNLast: true})
	}
	for _, o := range orders {
		out = append(out,
			plan.Problem{Type: t, Order: o},
			plan.Problem{Type: t, Order: o, Mode: plan.Pairs, ValueBytes: 4},
			plan.Problem{Type: t, Order: o, Mode: plan.Pairs, ValueBytes: 8},
			plan.Problem{Type: t, Order: o, Mode: plan.Argsort, ValueBytes: 4},
			plan.Problem{Type: t, Order: o, Mode: plan.Argsort, ValueBytes: 8})
	}
	return out
}

// input makes n keys and values of p.
func input(p plan.Problem, dist int, rng *rand.Rand, n int) (keys, values []uint64) {
	keys, values = make([]uint64, n), make([]uint64, n)
	distributions[dist].fill(rng, p.Type, p.Order, keys)
	for i := range keys {
		keys[i] &= ^uint64(0) >> (64 - p.Type.Bits())
		values[i] = rng.Uint64()
	}
	return keys, values
}

// check sorts one input and compares with the reference.
func check(r *runner, v Variant, p plan.Problem, c driver.Caps, l algo.Params, dist int, rng *rand.Rand, n int) {
	r.t.Helper()
	p.Items = uint64(n)
	keys, values := input(p, dist, rng, n)
	pl, err := makePlan(v, p, c, l)
	if err != nil {
		r.t.Fatal(err)
	}
	id := fmt.Sprintf("%v, %v %v %d %+v, %d keys, %s, %+v", v, p.Type, p.Mode, p.ValueBytes, p.Order, n, distributions[dist].name, l)
	align := max(p.Type.Bytes(), p.ValueBytes)
	gotKeys, gotValues := r.run(pl, pack(keys, p.Type.Bytes()), pack(values, p.ValueBytes), uint64(align*rng.IntN(5)))
	compareWith(r.t, id, p, keys, values, gotKeys, gotValues)
}

// compareWith holds a result against the reference.
func compareWith(t testing.TB, id string, p plan.Problem, keys, values []uint64, gotKeys, gotValues []byte) {
	t.Helper()
	wantKeys, wantValues := want(p, keys, values)
	if at := mismatch(gotKeys, wantKeys, p.Type.Bytes()); at >= 0 {
		t.Fatalf("%s: key %d differs", id, at)
	}
	if p.ValueBytes != 0 {
		if at := mismatch(gotValues, wantValues, p.ValueBytes); at >= 0 {
			t.Fatalf("%s: value %d differs", id, at)
		}
	}
}

// mismatch returns the first element of the given width that differs, or -1.
func mismatch(a, b []byte, width int) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := 0; ; i += width {
		if !bytes.Equal(a[i:i+width], b[i:i+width]) {
			return i / width
		}
	}
}

// eachDevice runs f for every device and class of layouts.
func eachDevice(t *testing.T, f func(t *testing.T, r *runner, c driver.Caps)) {
	for _, drv := range []driver.Driver{opencl.New(), cuda.New()} {
		t.Run(drv.Name(), func(t *testing.T) {
			for _, dev := range drivertest.Devices(t, drv) {
				for _, class := range classes {
					c := dev.Caps()
					if class.name != "own" && (drv.Name() != "opencl" || !c.CPU) {
						continue
					}
					class.set(&c)
					t.Run(c.ID+"/"+class.name, func(t *testing.T) { f(t, newRunner(t, dev), c) })
				}
			}
		})
	}
}

// TestSort sorts every form of every type by every variant: sizes and
// distributions take turns.
func TestSort(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *runner, c driver.Caps) {
		for _, v := range all {
			t.Run(v.String(), func(t *testing.T) {
				r.t = t
				rng := rand.New(rand.NewPCG(uint64(v), 2))
				turn := int(v)
				for _, row := range key.Table() {
					if strings.Contains(t.Name(), "/gpu/") && row.Type != key.I32 && row.Type != key.F64 && os.Getenv(slowEnv) == "" {
						continue // a processor's compiler takes minutes for all widths
					}
					for _, p := range forms(row.Type) {
						p.Items = 1 << 20
						tl, err := tileOf(v, elementBits(p), p.Items, c, algo.Params{})
						if err != nil {
							t.Fatal(err)
						}
						tile := 1 << tl.log
						sizes := []int{0, 1, 2, 3, 5, 31, 33, 100, 1000, tile - 1, tile, tile + 1, 2*tile + 7, 3*tile - 1, 5*tile + 3}
						for range 2 {
							turn++
							check(r, v, p, c, algo.Params{}, turn%len(distributions), rng, sizes[turn*7%len(sizes)])
						}
					}
				}
			})
		}
	})
}

// TestEverySize sorts all small sizes, and sizes around powers of two.
func TestEverySize(t *testing.T) {
	eachDevice(t, func(t *testing.T, r *runner, c driver.Caps) {
		rng := rand.New(rand.NewPCG(7, 2))
		sizes := []int{1023, 1024, 1025, 4097, 8191, 8193, 16384, 20001, 1<<17 - 3}
		for n := range 70 {
			sizes = append(sizes, n)
		}
		for i, n := range sizes {
			for _, v := range all {
				check(r, v, plan.Problem{Type: key.U32}, c, algo.Params{}, i%len(distributions), rng, n)
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
	eachDevice(t, func(t *testing.T, r *runner, c driver.Caps) {
		rng := rand.New(rand.NewPCG(8, 2))
		for _, v := range all {
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
				check(r, v, p, c, l, i%len(distributions), rng, int(p.Items))
				ran++
			}
			if ran < 6 {
				t.Errorf("%v ran with %d layouts only", v, ran)
			}
		}
	})
}
