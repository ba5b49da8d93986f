package merge

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// partitionLanes is the number of threads that look for one end of a tile in a
// launch of their own: 2^kPartitionLog of kernels/cuda/block/merge_path.cuh, one
// on OpenCL.
func (g geometry) partitionLanes() uint32 {
	if g.backend == "cuda" {
		return 8
	}
	return 1
}

// planPath returns the steps of merge-path. Scratch is n keys and n values, for
// argsort another n keys, and 8 bytes per tile.
func planPath(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	g, err := pathGeometry(p, c, l)
	b := plan.NewBuilder(pathName, p)
	if err != nil || nothing(p) {
		return b.Plan(), err
	}
	run, tile := g.tile(g.blockThreads), g.tile(g.passThreads)
	tiles := (p.Items + tile - 1) / tile
	if tiles >= 1<<32 {
		return plan.Plan{}, algo.Unsupported("%s: %d tiles of %d items: give more threads than %d", pathName, tiles, tile, g.passThreads)
	}
	s := newSorter(b, p, g, doublings(p.Items, run))
	s.block("sort blocks", "block", g.grid((p.Items+run-1)/run), g.blockThreads, pathShared(p, g.blockThreads, g.items))

	// The ends of the tiles are found by a launch of their own if there are many.
	search := tiles < uint64(g.partitionTiles)*uint64(max(c.ComputeUnits, 1))
	var splits plan.Ref
	if s.passes > 0 {
		if search {
			splits = s.keys[1] // not read
		} else {
			splits = b.Scratch("splits", tiles*8)
		}
	}
	key, value := p.Type.Bits(), p.ValueBytes
	for i := 1; i <= s.passes; i, run = i+1, run*2 {
		perPair := 2 * run / tile
		shape := []plan.Arg{plan.At(splits), plan.U64(p.Items), plan.U64(run), plan.U32(uint32(min(perPair, 1<<32-1))), plan.U32(uint32(tiles))}
		if !search {
			perBlock := uint64(g.passThreads / g.partitionLanes())
			args := append([]plan.Arg{plan.At(s.keys[s.out(i-1)])}, shape...)
			b.Launch(fmt.Sprintf("partition %d", i), g.search("partition", key, value), g.grid((tiles+perBlock-1)/perBlock), g.passThreads,
				tiles*8, append(args, plan.U32(uint32(tile)))...)
		}
		args := append(s.buffers(i), shape...)
		flag := uint32(0)
		if search {
			flag = 1
		}
		args = append(args, s.codecOut(i), s.flags(i), plan.U32(flag))
		b.Launch(fmt.Sprintf("merge %d", i), g.entry("pass", key, value), g.grid(tiles), g.passThreads, s.moved(i)+tiles*8, args...).
			SharedBytes = uint32(pathShared(p, g.passThreads, g.items))
	}
	return b.Plan(), nil
}
