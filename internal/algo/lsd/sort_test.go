package lsd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
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
func check(r *runner, p plan.Problem, c driver.Caps, l algo.Params, dist int, rng *rand.Rand, n int) {
	r.t.Helper()
	p.Items = uint64(n)
	keys, values := make([]uint64, n), make([]uint64, n)
	distributions[dist].fill(rng, p.Type, p.Order, keys)
	for i := range keys {
		keys[i] &= ^uint64(0) >> (64 - p.Type.Bits())
		values[i] = rng.Uint64()
	}
	pl, err := Algorithm.Plan(p, c, l)
	if err != nil {
		r.t.Fatal(err)
	}
	id := fmt.Sprintf("%v %v %d %+v, %d keys, %s", p.Type, p.Mode, p.ValueBytes, p.Order, n, distributions[dist].name)
	wantKeys, wantValues := want(p, keys, values)
	align := max(p.Type.Bytes(), p.ValueBytes)
	gotKeys, gotValues := r.run(pl, pack(keys, p.Type.Bytes()), pack(values, p.ValueBytes), uint64(align*rng.IntN(5)))
	if at := mismatch(gotKeys, wantKeys, p.Type.Bytes()); at >= 0 {
		r.t.Fatalf("%s: key %d differs", id, at)
	}
	if p.ValueBytes != 0 {
		if at := mismatch(gotValues, wantValues, p.ValueBytes); at >= 0 {
			r.t.Fatalf("%s: value %d differs", id, at)
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

func TestSort(t *testing.T) {
	for _, drv := range []driver.Driver{opencl.New(), cuda.New()} {
		t.Run(drv.Name(), func(t *testing.T) {
			for _, dev := range drivertest.Devices(t, drv) {
				for _, class := range classes {
					if drv.Name() != "opencl" && class.name != "own" {
						continue
					}
					t.Run(dev.Caps().ID+"/"+class.name, func(t *testing.T) {
						c := dev.Caps()
						if class.name == "simt" && c.CPU && os.Getenv(slowEnv) == "" {
							t.Skipf("%s compiles these kernels for minutes; set %s=1 to run them", c.ID, slowEnv)
						}
						class.set(&c)
						for _, row := range key.Table() {
							t.Run(row.Name, func(t *testing.T) { sortType(t, dev, c, row.Type) })
						}
					})
				}
			}
		})
	}
}

// sortType checks every form of one type: awkward sizes with distributions in
// turn, then every distribution past what one group sorts alone.
func sortType(t *testing.T, dev driver.Device, c driver.Caps, typ key.Type) {
	seed := uint64(typ) + 1
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	r := newRunner(t, dev)
	for i, p := range forms(typ) {
		tile, small := tileOf(t, p, c)
		sizes := []int{0, 1, 2, 3, 31, 32, 33, 255, 1000, tile - 1, tile, tile + 1, 2 * tile, small, small + 1}
		for _, n := range sizes {
			check(r, p, c, algo.Params{}, rng.IntN(len(distributions)), rng, n)
		}
		dists := len(distributions)
		if small > 1<<12 {
			dists = 2 // the reference is slow: these take turns over the forms
		}
		for d := range dists {
			check(r, p, c, algo.Params{}, (i*dists+d)%len(distributions), rng, small+1+rng.IntN(6*tile))
		}
		check(r, p, c, algo.Params{Blocks: 1}, 0, rng, small+1+rng.IntN(3*tile))
		check(r, p, c, algo.Params{Blocks: 7}, 1, rng, small+1+rng.IntN(9*tile))
	}
}

// TestLarge sorts 2^17 keys in the classes that a CPU device runs fast.
func TestLarge(t *testing.T) {
	for _, dev := range drivertest.Devices(t, opencl.New()) {
		rng := rand.New(rand.NewPCG(3, 4))
		r := newRunner(t, dev)
		for _, class := range classes[:2] {
			c := dev.Caps()
			class.set(&c)
			for _, p := range []plan.Problem{{Type: key.U32}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 8}, {Type: key.I64, Mode: plan.Argsort, ValueBytes: 4}} {
				check(r, p, c, algo.Params{}, rng.IntN(2), rng, 1<<17+rng.IntN(100))
			}
		}
	}
}
