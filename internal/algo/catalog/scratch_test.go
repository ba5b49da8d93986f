package catalog

import (
	"errors"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// devices are a data-centre card, an old card that runs the PTX, a card with
// OpenCL and a small OpenCL device.
var devices = []driver.Caps{
	{
		Backend: "cuda", ID: "cuda:0", Name: "NVIDIA H200", ComputeUnits: 132, WarpSize: 32, MaxThreadsPerBlock: 1024,
		SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10, Arch: 90, ForwardProgress: true, SubGroups: true, Atomics64: true, Cooperative: true,
	},
	{
		Backend: "cuda", ID: "cuda:0", Name: "GTX 1050 Ti", ComputeUnits: 6, WarpSize: 32, MaxThreadsPerBlock: 1024,
		SharedPerBlock: 48 << 10, SharedPerBlockMax: 48 << 10, Arch: 61, ForwardProgress: true, SubGroups: true, Atomics64: true,
	},
	{
		Backend: "opencl", ID: "opencl:0", Name: "NVIDIA card", Vendor: "NVIDIA Corporation", ComputeUnits: 100, MaxThreadsPerBlock: 1024,
		SharedPerBlock: 48 << 10,
	},
	{
		Backend: "opencl", ID: "opencl:1", Name: "small device", ComputeUnits: 4, MaxThreadsPerBlock: 256, SharedPerBlock: 32 << 10,
	},
}

// TestScratchBound: whatever is chosen, scratch stays within the bound; and
// something can always be chosen.
func TestScratchBound(t *testing.T) {
	sizes := []uint64{0, 1, 1000, 1<<14 + 1, 1 << 20, 5_000_000, 1 << 23, 1<<24 + 1, 1 << 26, 1<<28 - 1, 1 << 28, 270_000_000, 1 << 29, 600_000_000, 1 << 30, 1<<32 + 3}
	for _, c := range devices {
		for _, row := range key.Table() {
			for _, mode := range []plan.Mode{plan.Keys, plan.Pairs, plan.Argsort} {
				for _, valueBytes := range []int{0, 4, 8} {
					for _, n := range sizes {
						p := plan.Problem{Type: row.Type, Mode: mode, Items: n, ValueBytes: valueBytes}
						if p.Validate() == nil {
							scratchBound(t, p, c, p.ScratchBound())
						}
						if p.Order.EqualZeros = true; p.Validate() == nil && p.Ties() {
							scratchBound(t, p, c, tyingBound(p))
						}
					}
				}
			}
		}
	}
}

// tyingBound is the most for an order in which zeros tie: that of an argsort, with
// copies of the keys and, for pairs, indices, and room for the copies of values.
func tyingBound(p plan.Problem) uint64 {
	q, parts := p, p.KeyBytes()
	if p.Mode == plan.Pairs {
		q.Mode, q.ValueBytes = plan.Argsort, 4
		if p.Items > 1<<32 {
			q.ValueBytes = 8
		}
		parts += q.ValuesBytes()
	}
	return parts + max(q.ScratchBound(), p.ValuesBytes()) + 2*plan.ScratchAlign
}

func scratchBound(t *testing.T, p plan.Problem, c driver.Caps, bound uint64) {
	t.Helper()
	planned := 0
	for _, a := range algorithms() {
		if a.Check(p, c) != nil {
			continue
		}
		pl, err := a.Plan(p, c, algo.Params{})
		if errors.Is(err, driver.ErrUnsupported) { // needs parameters
			continue
		}
		if err != nil {
			t.Errorf("%s of %+v on %s: %v", a.Name, p, c.Name, err)
			continue
		}
		planned++
		codeLinked(t, pl, c)
		if pl.ScratchBytes > bound {
			t.Errorf("%s of %+v on %s: %d bytes of scratch, bound %d", a.Name, p, c.Name, pl.ScratchBytes, bound)
		}
	}
	if planned == 0 {
		t.Errorf("no algorithm sorts %+v on %s", p, c.Name)
	}
}

// codeLinked: a program that imports the library alone has the code of all steps.
// This test links no more than such a program.
func codeLinked(t *testing.T, pl plan.Plan, c driver.Caps) {
	t.Helper()
	for _, s := range pl.Steps {
		module, _ := kernel.SplitVariant(s.Kernel.Module)
		if s.Op != plan.OpLaunch || linked[c.Backend+module] {
			continue
		}
		linked[c.Backend+module] = true
		images := kernel.Images(c.Backend, module)
		for _, im := range images {
			if _, err := im.Data(); err != nil {
				t.Errorf("%s on %s: %v", pl.Algorithm, c.Name, err)
			}
		}
		if len(images) == 0 {
			t.Errorf("%s on %s: no code of module %s", pl.Algorithm, c.Name, module)
		}
	}
}

// linked holds the modules that codeLinked has looked at.
var linked = map[string]bool{}
