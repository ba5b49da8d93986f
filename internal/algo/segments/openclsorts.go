package segments

import (
	"math"
	"slices"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// A launch of the form for processors: threads of a group, and groups of a compute unit.
const groupThreads, groupsPerUnit = 256, 8

// sorts are the stable sorts that the OpenCL form embeds: an argsort of all keys, and one of
// the positions by segment.
func sorts(p plan.Problem) (keys, segments plan.Problem) {
	return plan.Problem{Type: p.Type, Order: p.Order, Mode: plan.Argsort, ValueBytes: 4, Items: p.Items},
		plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: p.Items}
}

func supportsSorts(p plan.Problem, c driver.Caps) error {
	if p.Other >= math.MaxUint32 {
		return algo.Unsupported("%s are numbered in 32 bits: %d are more than %d", name, p.Other, uint32(math.MaxUint32)-1)
	}
	first, second := sorts(p)
	for _, inner := range []plan.Problem{first, second} {
		if err := lsd.Algorithm.Supports(inner, c); err != nil {
			return err
		}
	}
	return nil
}

// planSorts is Plan for OpenCL devices with few work-items in a group. Scratch is 8
// bytes for each key, what the larger of the two sorts takes, and of keys alone a second
// buffer of keys.
func planSorts(p plan.Problem, c driver.Caps) (plan.Plan, error) {
	b := plan.NewBuilder(name, p)
	status := b.Scratch("status", plan.StatusBytes)
	b.Refuses(status, refusals...)
	b.Memset("clear status", status, 0, plan.StatusBytes)
	g := groups{b, c, p}
	g.launch("check offsets", "check", p.Other+1, offsetBytes(p), plan.At(status))
	if p.Items == 0 || p.Other == 0 && p.Mode == plan.Keys {
		return b.Plan(), nil
	}
	first, second := sorts(p)
	byKey, err := lsd.Algorithm.Plan(first, c, algo.Params{})
	if err != nil {
		return plan.Plan{}, err
	}
	bySegment, err := lsd.Algorithm.Plan(second, c, algo.Params{})
	if err != nil {
		return plan.Plan{}, err
	}
	positions, numbers := b.Scratch("positions", 4*p.Items), b.Scratch("numbers", 4*p.Items)
	scratch := b.Scratch("sorts", max(byKey.ScratchBytes, bySegment.ScratchBytes))
	b.Embed("by key", byKey, plan.SortAt(plan.Ref{Region: plan.KeysIO}, positions, scratch))
	g.launch("number segments", "number", p.Items, 8*p.Items, plan.At(positions), plan.At(numbers))
	b.Embed("by segment", bySegment, plan.SortAt(numbers, positions, scratch))
	if p.Mode == plan.Argsort {
		g.launch("positions", "positions", p.Items, 4*p.Items+p.ValuesBytes(),
			plan.At(status), plan.At(positions), plan.At(plan.Ref{Region: plan.ValuesIO}), plan.Bool(p.ValueBytes == 8))
	} else {
		keys, out := plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(b.Scratch("keys", p.KeyBytes()))
		g.launch("gather keys", "gather", p.Items, 4*p.Items+2*p.KeyBytes(), plan.At(status), keys, plan.At(positions), out)
		b.Launch("copy keys", entry("back", p), g.grid(p.Items), g.threads(), 2*p.KeyBytes(), plan.At(status), keys, out, plan.U64(p.Items))
	}
	b.Passes(byKey.Passes + bySegment.Passes)
	return b.Plan(), nil
}

// groups appends launches over elements.
type groups struct {
	b *plan.Builder
	c driver.Caps
	p plan.Problem
}

func (g groups) threads() uint32 {
	return algo.GroupThreads(g.c, groupThreads)
}

func (g groups) grid(items uint64) uint32 {
	return algo.Grid(g.c, items, uint64(g.threads()), groupsPerUnit)
}

// launch appends a launch whose last arguments are the offsets and the number of keys.
func (g groups) launch(label, stage string, items, bytes uint64, args ...plan.Arg) {
	id := kernel.Plain(module, stage)
	if stage == "gather" {
		id = entry(stage, g.p)
	}
	g.b.Launch(label, id, g.grid(items), g.threads(), bytes, slices.Concat(args, offsetArgs(g.p))...)
}
