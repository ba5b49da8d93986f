package radix4

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	warp = 32
	// maxThreads is the kernels' launch bound.
	maxThreads = 1024
	// ownThreads are the default: eight warps hide the latency of a tile's
	// barriers, and every known device can run them.
	ownThreads = 256
	// ownItems are keys per thread: odd, so that threads which walk their
	// neighbouring keys of 32 bits meet different banks of shared memory.
	ownItems = 9
	// serialItems are keys of a tile where a group's threads run one after the
	// other: keys and order of 64-bit keys fit a first-level cache of 32 KiB.
	serialItems = 2048
	// unitBlocks are blocks per multiprocessor: what one holds at once of 256
	// threads.
	unitBlocks = 8
	// maxBlocks bounds the counters at 2 MiB.
	maxBlocks = 1 << 16
	// maxTile is what a 16-bit counter and a 16-bit position hold.
	maxTile = 1<<16 - 1
)

// geometry is how one sort is launched.
type geometry struct {
	cuda                   bool
	threads, blocks, items uint32
	scanThreads            uint32
	keyBytes               uint32
}

// geometryOf takes the user's threads and blocks, or chooses them, and then the
// items per thread that fit the shared memory.
func geometryOf(p plan.Problem, c driver.Caps, l algo.Params) (geometry, error) {
	g := geometry{cuda: c.Backend == "cuda", threads: l.Threads, blocks: l.Blocks, keyBytes: uint32(p.Type.Bytes())}
	most := algo.GroupThreads(c, maxThreads)
	g.scanThreads = min(ownThreads, most)
	if c.CPU {
		g.scanThreads = 1
	}
	if g.threads == 0 {
		g.threads = g.scanThreads
	}
	switch {
	case g.threads > most:
		return g, algo.Unsupported("radix-4way: %d threads per block, %s allows %d", g.threads, c.ID, most)
	case g.cuda && g.threads%warp != 0:
		return g, algo.Unsupported("radix-4way: %d threads per block are no whole warps: give a multiple of %d up to %d", g.threads, warp, most)
	case g.blocks > maxBlocks:
		return g, algo.Unsupported("radix-4way: %d blocks, at most %d", g.blocks, maxBlocks)
	}
	room := max(c.SharedPerBlock, c.SharedPerBlockMax)
	if room == 0 {
		room = 16 << 10 // the least that OpenCL's embedded and full profiles ask of a GPU
	}
	room -= min(room, staticShared)
	items := uint32(ownItems)
	if c.CPU {
		items = max(serialItems/g.threads, 1)
	}
	for g.items = min(items, maxTile/g.threads); uint64(g.moveShared()) > room; g.items-- {
		if g.items == 1 {
			return g, algo.Unsupported("radix-4way: %d threads of one key need %d bytes of shared memory, %s has %d: give fewer threads",
				g.threads, g.moveShared(), c.ID, room)
		}
	}
	if need := g.countShared(); uint64(need) > room {
		return g, algo.Unsupported("radix-4way: %d threads need %d bytes of shared memory, %s has %d: give fewer threads", g.threads, need, c.ID, room)
	}
	if g.blocks == 0 {
		tile := uint64(g.threads) * uint64(g.items)
		units := uint64(max(c.ComputeUnits, 1))
		if !c.CPU {
			units *= unitBlocks
		}
		g.blocks = uint32(max(min((p.Items+tile-1)/tile, units, maxBlocks), 1))
	}
	return g, nil
}

// sums are the 64-bit words of the prefix sum: one a warp on CUDA, where there
// is room for 32, one a thread on OpenCL.
func (g geometry) sums(threads uint32) uint32 {
	if g.cuda {
		return maxThreads / warp
	}
	return threads
}

// staticShared covers what the kernels declare themselves beside the dynamic
// shared memory, 1,096 bytes by NVIDIA's OpenCL.
const staticShared = 2048

// countShared, scanShared and moveShared are the dynamic shared memory of the
// stages, in bytes: sums of their own, since threads and items are chosen for the device.
// TestShared compares them with the kernels'.
func (g geometry) countShared() uint32 { return 8 * digits * g.sums(g.threads) }

func (g geometry) scanShared() uint32 { return 8 * g.sums(g.scanThreads) }

func (g geometry) moveShared() uint32 {
	tile := g.threads * g.items
	return 8*(g.sums(g.threads)+digits) + (tile*g.keyBytes+1)/2*2 + 2*tile
}
