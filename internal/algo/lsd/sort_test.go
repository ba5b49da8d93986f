package lsd

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// classes are the device classes whose kernels an OpenCL device can run: its
// own and others.
var classes = []struct {
	name string
	set  func(*driver.Caps)
}{
	{"own", func(c *driver.Caps) {}},
	{"tiny", func(c *driver.Caps) { c.CPU, c.Vendor, c.MaxThreadsPerBlock = false, "", 64 }},
	{"simt", func(c *driver.Caps) { c.CPU, c.Vendor = false, "" }},
}

// tile is the tile that p is sorted by on a device, and the largest input that
// one group sorts alone.
func tileOf(t testing.TB, p plan.Problem, c driver.Caps) (tile, small int) {
	t.Helper()
	g, err := geometryOf(p.Type.Bits(), p.ValueBytes, c)
	if err != nil {
		t.Fatal(err)
	}
	return int(g.tile()), int(g.small)
}

// check sorts one input and compares with the reference.
func check(r *kerneltest.Runner, p plan.Problem, c driver.Caps, l algo.Params, dist int, rng *rand.Rand, n int) {
	r.T.Helper()
	p.Items = uint64(n)
	d := kerneltest.Distributions[dist]
	keys, values := kerneltest.Input(p, d, rng)
	pl, err := Algorithm.Plan(p, c, l)
	if err != nil {
		r.T.Fatal(err)
	}
	wantKeys, wantValues := kerneltest.Want(p, keys, values)
	align := max(p.Type.Bytes(), p.ValueBytes)
	gotKeys, gotValues := r.Sorted(pl, kerneltest.Pack(keys, p.Type.Bytes()), kerneltest.Pack(values, p.ValueBytes), uint64(align*rng.IntN(5)))
	id := fmt.Sprintf("%v %v %d %+v, %d keys, %s", p.Type, p.Mode, p.ValueBytes, p.Order, n, d.Name)
	kerneltest.Same(r.T, id, p, gotKeys, gotValues, wantKeys, wantValues)
}

func TestSort(t *testing.T) {
	for _, dev := range drivertest.Devices(t, opencl.New()) {
		for k, class := range classes {
			t.Run(dev.Caps().ID+"/"+class.name, func(t *testing.T) {
				c := dev.Caps()
				if class.name == "simt" && c.CPU && !soak.Every() {
					absent.Skip(t, soak.EveryEnv, "%s compiles these kernels for minutes; 1 without -short runs them", c.ID)
				}
				class.set(&c)
				for i, row := range key.Table() {
					if testing.Short() && (i+k)%4 != 0 {
						continue // each class takes other types: every width is in one of them
					}
					t.Run(row.Name, func(t *testing.T) { sortType(t, dev, c, row.Type) })
				}
			})
		}
	}
}

// sortType checks every form of one type: awkward sizes with distributions in
// turn, then every distribution past what one group sorts alone.
func sortType(t *testing.T, dev driver.Device, c driver.Caps, typ key.Type) {
	seed := uint64(typ) + 1
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	r := kerneltest.NewRunner(t, dev)
	for i, p := range kerneltest.Forms(typ) {
		tile, small := tileOf(t, p, c)
		sizes := []int{0, 1, 2, 3, 31, 32, 33, 255, 1000, tile - 1, tile, tile + 1, 2 * tile, small, small + 1}
		for _, n := range sizes {
			check(r, p, c, algo.Params{}, rng.IntN(len(kerneltest.Distributions)), rng, n)
		}
		dists := len(kerneltest.Distributions)
		if small > 1<<12 {
			dists = 2 // the reference is slow: these take turns over the forms
		}
		for d := range dists {
			check(r, p, c, algo.Params{}, (i*dists+d)%len(kerneltest.Distributions), rng, small+1+rng.IntN(6*tile))
		}
		check(r, p, c, algo.Params{Blocks: 1}, 0, rng, small+1+rng.IntN(3*tile))
		check(r, p, c, algo.Params{Blocks: 7}, 1, rng, small+1+rng.IntN(9*tile))
	}
}

// TestLarge sorts 2^17 keys in the classes that a CPU device runs fast.
func TestLarge(t *testing.T) {
	for _, dev := range drivertest.Devices(t, opencl.New()) {
		rng := rand.New(rand.NewPCG(3, 4))
		r := kerneltest.NewRunner(t, dev)
		for _, class := range classes[:2] {
			c := dev.Caps()
			class.set(&c)
			for _, p := range []plan.Problem{{Type: key.U32}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 8}, {Type: key.I64, Mode: plan.Argsort, ValueBytes: 4}} {
				check(r, p, c, algo.Params{}, rng.IntN(2), rng, 1<<17+rng.IntN(100))
			}
		}
	}
}
