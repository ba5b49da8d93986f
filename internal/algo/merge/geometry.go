package merge

import (
	"math/bits"
	"strings"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const (
	warp = 32
	// maxThreads is the launch bound of every kernel.
	maxThreads = layout.MergeMaxThreads
	// pad cells lie behind a tile in shared memory.
	pad = layout.MergePad
	// staticShared is what gs_merge_pass has besides its dynamic shared memory.
	staticShared = 16
	// maxBlocks is the largest first dimension of a grid, maxPairs the largest
	// second one, on CUDA.
	maxBlocks, maxPairs = 1<<31 - 1, 1<<16 - 1
)

// geometry is the launch geometry of one sort. Of the two algorithms each reads
// its own part.
type geometry struct {
	backend, target           string
	items                     uint32 // per thread
	blockThreads, passThreads uint32 // of the block sort, and of every launch behind it
	partitionTiles            uint32
	blocks                    uint32 // of every launch; 0: as many as there is work for
}

// row finds the policy row of p on a device. OpenCL has two: for devices that
// run a work-group's items side by side, and for processors.
func row(p plan.Problem, c driver.Caps) (g geometry, r tune.MergeCuda, err error) {
	key, value := p.Type.Bits(), p.ValueBytes
	ok := false
	if c.Backend == "cuda" {
		g.target = tune.CUDATarget(c)
		r, ok = tune.MergeCudaFor(g.target, key, value)
	} else {
		g.target = "gpu"
		if c.CPU {
			g.target = "cpu"
		}
		var o tune.MergeOpencl
		o, ok = tune.MergeOpenclFor(g.target, key, value)
		r = tune.MergeCuda(o)
	}
	g.backend = c.Backend
	if !ok {
		return g, r, algo.Unsupported("merge has no policy for %s, %d-bit keys and %d-byte values", g.target, key, value)
	}
	return g, r, nil
}

// pathShared is the shared memory of a block sort or a pass: a sum of its own, since the
// threads are the launch's. TestShared compares it with the kernels'.
func pathShared(p plan.Problem, threads, items uint32) uint64 {
	tile := uint64(threads) * uint64(items)
	n := (tile + pad) * uint64(max(p.Type.Bytes(), p.ValueBytes))
	if p.ValueBytes != 0 {
		n += 2 * tile
	}
	return roundUp(n)
}

// sectorShared is the shared memory of a sector and of segments, as pathShared; on OpenCL
// with a word per bit of a key for the votes of each warp.
func (g geometry) sectorShared(p plan.Problem, threads, items uint32) uint64 {
	n := 2 * uint64(threads) * uint64(items) * uint64(p.Type.Bytes())
	if p.ValueBytes != 0 {
		n += 2 * 2 * uint64(threads) * uint64(items)
	}
	if g.backend != "cuda" {
		n += uint64(threads/warp) * uint64(p.Type.Bits()) * 4
	}
	return roundUp(n)
}

// roundUp makes whole 16-byte words, as both backends hand them out.
func roundUp(n uint64) uint64 { return (n + 15) / 16 * 16 }

// pathGeometry is merge-path's geometry under the parameters l.
func pathGeometry(p plan.Problem, c driver.Caps, l algo.Params) (geometry, error) {
	g, r, err := row(p, c)
	if err != nil {
		return g, err
	}
	shared := func(threads uint32) uint64 { return pathShared(p, threads, r.Items) }
	g.items, g.partitionTiles, g.blocks = r.Items, r.PartitionTiles, l.Blocks
	if g.blockThreads, err = threadsOf(pathName, r.BlockThreads, c, l, shared); err != nil {
		return g, err
	}
	if l.Threads == 0 {
		// No wider than the input.
		for g.blockThreads > warp && uint64(g.blockThreads/2)*uint64(g.items) >= p.Items {
			g.blockThreads /= 2
		}
	}
	g.passThreads, err = threadsOf(pathName, min(r.PassThreads, 2*g.blockThreads), c, l, shared)
	return g, err
}

// separatorsGeometry is merge-separators' geometry under the parameters l.
func separatorsGeometry(p plan.Problem, c driver.Caps, l algo.Params) (geometry, error) {
	g, r, err := row(p, c)
	if err != nil {
		return g, err
	}
	g.items, g.blocks = r.SectorItems, l.Blocks
	g.blockThreads, err = threadsOf(separatorsName, r.SectorThreads, c, l, func(threads uint32) uint64 { return g.sectorShared(p, threads, g.items) })
	g.passThreads = g.blockThreads
	return g, err
}

// threadsOf returns the threads per block: those asked for, or else the policy's,
// halved until they fit the device. What cannot be launched is an error.
func threadsOf(name string, policy uint32, c driver.Caps, l algo.Params, shared func(uint32) uint64) (uint32, error) {
	most, memory := algo.GroupThreads(c, maxThreads), max(c.SharedPerBlock, c.SharedPerBlockMax)
	fits := func(threads uint32) bool { return memory == 0 || shared(threads)+staticShared <= memory }
	t := policy
	if l.Threads != 0 {
		t = l.Threads
		switch {
		case t < warp || bits.OnesCount32(t) != 1 || t > maxThreads:
			return 0, algo.Unsupported("%s: %d threads per block: give a power of two from %d to %d", name, t, warp, maxThreads)
		case t > most:
			return 0, algo.Unsupported("%s: %d threads per block: %s allows %d", name, t, c.ID, most)
		case !fits(t):
			return 0, algo.Unsupported("%s: %d threads per block need %d bytes of shared memory, %s has %d: give fewer threads",
				name, t, shared(t)+staticShared, c.ID, memory)
		}
	}
	if l.Blocks > maxBlocks {
		return 0, algo.Unsupported("%s: %d blocks: a grid has at most %d", name, l.Blocks, maxBlocks)
	}
	for t > warp && (t > most || !fits(t)) {
		t /= 2
	}
	if t > most || !fits(t) {
		return 0, algo.Unsupported("%s needs blocks of %d threads and %d bytes of shared memory, %s allows %d and %d", name, warp,
			shared(warp)+staticShared, c.ID, most, memory)
	}
	return t, nil
}

// tile is the number of items that a block of the given threads handles.
func (g geometry) tile(threads uint32) uint64 { return uint64(threads) * uint64(g.items) }

// grid is the number of blocks for so many units of work.
func (g geometry) grid(work uint64) uint32 {
	if g.blocks != 0 {
		return g.blocks
	}
	return uint32(max(1, min(work, maxBlocks)))
}

// entry names a stage's kernel. An OpenCL program is built for one class of
// device, one width of keys and one of values.
func (g geometry) entry(stage string, keyBits, valueBytes int) kernel.ID {
	return g.variant(kernel.Entry("merge", stage, keyBits, valueBytes), keyBits, valueBytes)
}

// search names a stage that sees keys alone, in the program that also has the
// stages of valueBytes.
func (g geometry) search(stage string, keyBits, valueBytes int) kernel.ID {
	return g.variant(kernel.Entry("merge", stage, keyBits, 0), keyBits, valueBytes)
}

func (g geometry) variant(id kernel.ID, keyBits, valueBytes int) kernel.ID {
	if g.backend == "cuda" {
		return id
	}
	return id.Variant("GS_TARGET_"+strings.ToUpper(g.target), kernel.Macro("GS_WIDTH", keyBits), kernel.Macro("GS_V", valueBytes))
}
