package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// twiceDriver lists the first device of a driver twice, under two IDs, so that one card
// or a processor's OpenCL is a group. It hides what reaches other devices, but for CUDA's
// copies between them.
type twiceDriver struct{ driver.Driver }

type secondDevice struct {
	apartDevice
	id string
}

func (d secondDevice) Caps() driver.Caps {
	c := d.apartDevice.Caps()
	c.ID = d.id
	return c
}

func (d twiceDriver) Devices() (out []driver.Device, err error) {
	for i := range 2 {
		list, err := d.Driver.Devices()
		if err != nil {
			return out, err
		}
		for k, dev := range list {
			if k != 0 {
				unused(dev)
				continue
			}
			out = append(out, secondDevice{apartDevice{dev}, fmt.Sprintf("%s:%d", d.Name(), i)})
		}
	}
	return out, nil
}

// TestGroupOnDevices sorts with real kernels: on PoCL and on the first CUDA device as if
// each were two cards, and on all CUDA devices where there are several.
func TestGroupOnDevices(t *testing.T) {
	for name, drv := range map[string]driver.Driver{"opencl twice": twiceDriver{opencl.New()}, "cuda twice": twiceDriver{cuda.New()}, "cuda": cuda.New()} {
		t.Run(name, func(t *testing.T) {
			devs := drivertest.Devices(t, drv)
			if len(devs) < 2 {
				absent.Skip(t, "cuda2", "this machine has %d CUDA devices, and needs 2", len(devs))
			}
			sizes := []uint64{5000, 100_003}
			if drv.Name() == "cuda" {
				sizes = append(sizes, 3_000_017, 1<<24)
			}
			e, err := New(Config{Device: drv.Name() + ":all", Drivers: []driver.Driver{drv}})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			z := &e.exec.Sizes
			z.ShareFrom, z.ChunkFrom, z.SameUnit, z.HalveFrom, z.RunItems = 1, 64<<10, 64<<10, 256<<10, 1<<20
			z.RangeBytes = 256 << 10
			turn := 0
			for _, n := range sizes {
				for _, p := range groupProblems(n) {
					for _, input := range slices.Sorted(maps.Keys(groupInputs)) {
						every := 1 // of the inputs
						switch {
						case drv.Name() != "cuda":
							every = 101 // the first use of a kernel takes long there
						case n > 1<<20:
							every = 23
						}
						if turn++; turn%every != 0 {
							continue
						}
						p.Items = n - uint64(turn%3)
						z.RangesFrom = uint64(turn / 2 % 3 * 1000) // 0: shares are sorted first
						what := fmt.Sprintf("%s %v %v %d %+v n=%d", input, p.Type, p.Mode, p.ValueBytes, p.Order, p.Items)
						groupSortOnce(t, e, p, groupInputs[input], what)
						if turn%2 == 0 {
							spreadOnce(t, e, p, groupInputs[input], what)
						}
					}
				}
			}
		})
	}
}

// spreadOnce sorts one input spread over the devices and compares with the host's sort.
func spreadOnce(t *testing.T, e *Engine, p plan.Problem, f func(i, n uint64) uint64, what string) {
	t.Helper()
	j, want := testInput(p), testInput(p)
	if f != nil {
		fillKeys(j, f)
		fillKeys(want, f)
	}
	SortHost(want)
	if _, _, err := spreadJob(e, j); err != nil {
		t.Fatalf("%s, spread: %v", what, err)
	}
	if err := sameJob(j, want); err != nil {
		t.Errorf("%s, spread: %v", what, err)
	}
}

// TestGroupRoundsOnDevices: what the cards do not hold goes in rounds.
func TestGroupRoundsOnDevices(t *testing.T) {
	drv := cuda.New()
	if devs := drivertest.Devices(t, drv); len(devs) < 2 {
		absent.Skip(t, "cuda2", "this machine has %d CUDA devices, and needs 2", len(devs))
	}
	e, err := New(Config{Device: "cuda:all", MemoryLimit: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.exec.Sizes.ShareFrom = 1
	for _, p := range []plan.Problem{{Type: key.U64}, {Type: key.F64}, {Type: key.U32, Mode: plan.Pairs, ValueBytes: 8}, {Type: key.I32, Mode: plan.Argsort, ValueBytes: 4}} {
		p.Items = 20_000_003
		j, want := testJob(p)
		r, err := e.Sort(context.Background(), j)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameJob(j, want); err != nil || r.Pieces < 2 {
			t.Errorf("%v %v: %d rounds: %v", p.Type, p.Mode, r.Pieces, err)
		}
	}
}
