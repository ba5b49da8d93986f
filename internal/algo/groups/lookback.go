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
	if need, most := shared(p, c), max(c.SharedPerBlock, c.SharedPerBlockMax); uint64(need) > most {
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

func shared(p plan.Problem, c driver.Caps) uint32 {
	return layout.Shared(tune.CUDATarget(c), name, "find", p.Type.Bits(), p.ValueBytes)
}

// lookback appends the single pass. The launch reads every key once and writes what it finds.
func lookback(b *plan.Builder, p plan.Problem, c driver.Caps) {
	const ticketBytes = 16
	_, blocks := geometry(c)
	n := tiles(p, c)
	status := b.Scratch("status", plan.StatusBytes)
	words := b.Scratch("look-back", ticketBytes+8*n)
	if n > 1 {
		b.Memset("clear look-back", words, 0, ticketBytes+8*n)
	}
	values, starts := outputs(p, status)
	entry := kernel.Entry(name, "find", p.Type.Bits(), p.ValueBytes)
	find := b.Launch("find groups", entry, algo.Grid(c, n, 1, blocks), layout.GroupsThreads, p.KeyBytes(),
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.U64(p.Items), plan.At(values), plan.At(starts), plan.U64(p.Other),
		plan.U32(uint32(p.Mode)), plan.At(words.Add(ticketBytes)), plan.At(words), plan.At(status))
	find.SharedBytes = shared(p, c)
	b.Refuses(status, noRoom)
	b.Passes(1)
}
