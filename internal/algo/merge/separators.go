package merge

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

const separatorBytes = layout.SeparatorBytes

// planSeparators returns the steps of merge-separators. Scratch is n keys and n
// values, for argsort another n keys, and 16 bytes per separator, of which every
// half sector has one.
func planSeparators(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	g, err := separatorsGeometry(p, c, l)
	b := plan.NewBuilder(separatorsName, p)
	if err != nil || nothing(p) {
		return b.Plan(), err
	}
	sector := g.tile(g.blockThreads)
	t := sector / 2
	if p.Items/t >= 1<<31 {
		return plan.Plan{}, algo.Unsupported("%s: %d items have too many segments of %d: give more threads than %d", separatorsName, p.Items, sector, g.blockThreads)
	}
	shared := g.sectorShared(p, g.blockThreads, g.items)
	s := newSorter(b, p, g, doublings(p.Items, sector))
	s.block("sort sectors", "sector", g.grid((p.Items+sector-1)/sector), g.blockThreads, shared)
	if s.passes == 0 {
		return b.Plan(), nil
	}
	count := func(run uint64) (pairs, perPair uint64) { return (p.Items + 2*run - 1) / (2 * run), 2 * run / t }
	most := uint64(0)
	for i, run := 0, sector; i < s.passes; i, run = i+1, run*2 {
		pairs, perPair := count(run)
		most = max(most, pairs*perPair)
	}
	table := b.Scratch("separators", most*separatorBytes)
	key, value := p.Type.Bits(), p.ValueBytes
	for i, run := 1, sector; i <= s.passes; i, run = i+1, run*2 {
		pairs, perPair := count(run)
		shape := []plan.Arg{plan.At(table), plan.U64(p.Items), plan.U64(run), plan.U32(uint32(perPair)), plan.U32(uint32(pairs)), plan.U32(uint32(t))}
		all := pairs * perPair
		b.Launch(fmt.Sprintf("separators %d", i), g.search("separators", key, value), g.grid((all+uint64(g.passThreads)-1)/uint64(g.passThreads)), g.passThreads,
			all*separatorBytes, append([]plan.Arg{plan.At(s.keys[s.out(i-1)])}, shape...)...)
		args := append(s.buffers(i), shape...)
		args = append(args, s.codecOut(i), s.flags(i))
		x, y := g.grid2(perPair, pairs)
		step := b.Launch(fmt.Sprintf("merge segments %d", i), g.entry("segments", key, value), x, g.passThreads, s.moved(i)+all*separatorBytes, args...)
		step.Grid[1], step.SharedBytes = y, uint32(shared)
	}
	return b.Plan(), nil
}

// grid2 is the two-dimensional grid of the segments: a column per segment of a
// pair, a row per pair. Blocks go on to further ones where a grid ends.
func (g geometry) grid2(perPair, pairs uint64) (x, y uint32) {
	most := uint64(maxBlocks)
	if g.blocks != 0 {
		most = uint64(g.blocks)
	}
	cols := min(perPair, most)
	return uint32(cols), uint32(max(1, min(pairs, most/cols, maxPairs)))
}
