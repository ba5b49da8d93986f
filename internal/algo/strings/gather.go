package strings

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// The regions of op.GatherStrings.
const (
	placesIn, fromOffsets, fromBytes = plan.KeysIO, plan.ValuesIO, op.OtherIO
	newOffsets, newBytes             = op.OtherIO + 1, op.OtherIO + 2
)

// copyBlocks is how many blocks of a multiprocessor copy bytes.
const copyBlocks = 16

// planGather returns the steps of op.GatherStrings. Scratch is 4 bytes for each tile that there is room
// for, and the counts.
func planGather(p plan.Problem, c driver.Caps) (plan.Plan, error) {
	s, err := newSteps("gather-strings", p, c)
	if err != nil {
		return plan.Plan{}, err
	}
	n := p.Items
	tiles := (p.Room + layout.StringsGatherTile - 1) / layout.StringsGatherTile
	parts, firsts := s.b.Scratch("sums", 8*op.WordsParts), s.b.Scratch("first strings", 4*tiles)
	in, width := text(fromBytes, fromOffsets, p), uint64(p.Width)
	places := []plan.Arg{plan.At(region(placesIn)), plan.Bool(p.Type.Bytes() == 8), plan.Bool(p.Type.Row().Kind == key.Signed)}
	result := region(newOffsets)
	s.launch("lengths", "lengths", n, 1, p.KeyBytes()+3*n*width, in, places, numbers(n, p.Other), one(result), one(parts), one(s.state))
	s.launch("offsets", "offsets", n, 1, 2*n*width, numbers(n), []plan.Arg{plan.At(result), plan.Bool(p.Width == 8), plan.U64(p.Room)},
		one(parts), one(firsts), one(s.state))
	if tiles > 0 {
		s.launchOf("copy bytes", "bytes", algo.Grid(c, tiles, 1, copyBlocks), 2*p.Room,
			in, places, numbers(n), one(result), one(region(newBytes)), one(firsts), one(s.state))
	}
	s.b.Passes(1)
	return s.b.Plan(), nil
}
