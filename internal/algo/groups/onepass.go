package groups

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// maxTiles leaves room in the tickets' 32 bits for those that are taken in vain.
const maxTiles = 1 << 31

func cudaSupports(p plan.Problem, c driver.Caps) error {
	if c.Arch < 61 {
		return algo.Unsupported("groups needs compute capability 6.1, %s has %d.%d", c.Name, c.Arch/10, c.Arch%10)
	}
	if !c.ForwardProgress {
		return algo.Unsupported("groups waits for running blocks, and %s does not promise that they keep running", c.Name)
	}
	if tiles(p, c) > maxTiles {
		return algo.Unsupported("groups takes fewer keys than %d", p.Items)
	}
	if need, most := shared(p, c, "sweep"), max(c.SharedPerBlock, c.SharedPerBlockMax); uint64(need) > most {
		return algo.Unsupported("groups needs %d bytes of shared memory per block, %s has %d", need, c.Name, most)
	}
	return nil
}

// geometry is the size of a tile and the blocks of a multiprocessor.
func geometry(c driver.Caps) (tileBytes, blocks uint64) {
	if tune.SM90(c) {
		return layout.GroupsTileBytes90, layout.GroupsBlocks90
	}
	return layout.GroupsTileBytesPTX, layout.GroupsBlocksPTX
}

// tiles is the most that the keys lie in: they count from the 16-byte boundary at or below
// the first key, which may lie one key short of the next.
func tiles(p plan.Problem, c driver.Caps) uint64 {
	tile, _ := geometry(c)
	return (p.KeyBytes() + 16 - uint64(p.Type.Bytes()) + tile - 1) / tile
}

// atOnce reports whether so few tiles are there that all blocks run at once and may wait for one another.
func atOnce(p plan.Problem, c driver.Caps) bool {
	return tune.SM90(c) && c.Cooperative && tiles(p, c) <= layout.GroupsBlocks90*uint64(max(c.ComputeUnits, 1))
}

func shared(p plan.Problem, c driver.Caps, stage string) uint32 {
	return layout.Shared(tune.CUDATarget(c), name, stage, p.Type.Bits(), p.ValueBytes)
}

// onePass appends the launch that reads every key once and writes what it finds: of few tiles by a barrier of the
// grid, of more by look-back.
func onePass(b *plan.Builder, p plan.Problem, c driver.Caps) {
	const ticketBytes = 16
	_, blocks := geometry(c)
	n := tiles(p, c)
	status := b.Scratch("status", plan.StatusBytes)
	values, starts := outputs(p, status)
	args := []plan.Arg{
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.U64(p.Items), plan.At(values), plan.At(starts), plan.U64(p.Other),
		plan.U32(uint32(p.Mode)),
	}
	stage, grid := "sweep", algo.Grid(c, n, 1, blocks)
	if atOnce(p, c) {
		stage, grid = "once", uint32(n)
		args = append(args, plan.At(b.Scratch("counts", 4*n)), plan.At(status))
	} else {
		words := b.Scratch("look-back", ticketBytes+8*n)
		b.Memset("clear look-back", words, 0, ticketBytes+8*n)
		args = append(args, plan.At(words.Add(ticketBytes)), plan.At(words), plan.At(status))
	}
	step := b.Launch("find groups", kernel.Entry(name, stage, p.Type.Bits(), p.ValueBytes), grid, layout.GroupsThreads,
		p.KeyBytes(), args...)
	step.SharedBytes, step.Cooperative = shared(p, c, stage), stage == "once"
	b.Refuses(status, noRoom)
	b.Passes(1)
}
