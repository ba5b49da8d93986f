package bitonic

import (
	"math/bits"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
)

const (
	// stepThreads is the default block of kernels with a thread per element,
	// pair or column.
	stepThreads = 256
	// gridBlocks is bitonic-grid's default per multiprocessor: stepThreads times
	// it are the threads that one holds.
	gridBlocks = 8
	// maxBlocks is the largest grid.x of CUDA. Kernels take several units per
	// thread where it is too small.
	maxBlocks = 1<<31 - 1

	// sharedLog is the tile of the shared-memory variants: report 003's 2,048
	// elements, two for each of 1,024 threads.
	sharedLog = 11
	// itemsLog: a thread holds 16 elements, and a pass over device memory
	// makes as many steps at most.
	itemsLog = 4
	// rowLog is the most where a work-item runs along rows: compilers make
	// vectors of four rows, and of eight or sixteen none (PoCL 3.1, AVX-512: two
	// passes of two steps take a tenth of the time of one of four).
	rowLog = 2
	// leastThreads and mostThreads bound a tile's threads there: a warp, and the
	// launch bound of its kernels.
	leastThreads, mostThreads = 32, 512

	// localLog and localBytes bound a tile of OpenCL: half of the 32 KB that
	// every device has.
	localLog, localBytes = 12, 16 << 10
	// hostLog and hostBytes bound it where a group is one work-item that runs on
	// a core: what stays in the first-level cache.
	hostLog, hostBytes = 12, 32 << 10
)

// tile is the geometry of the kernels that work in shared memory.
type tile struct {
	log     int    // 1 << log elements
	threads uint32 // per block
	shared  uint32 // bytes of shared memory
}

// registerBytes is the size of an element in registers and shared memory.
func registerBytes(elementBits int) int { return max(4, elementBits/8) }

// threadsOf checks the threads per block that a user asked for.
func threadsOf(v Variant, c driver.Caps, l algo.Params) error {
	most := uint32(1024)
	if c.MaxThreadsPerBlock != 0 {
		most = uint32(c.MaxThreadsPerBlock)
	}
	if l.Threads > most {
		return algo.Unsupported("%v with %d threads per block: %s allows %d", v, l.Threads, c.ID, most)
	}
	if v == Best && c.Backend == "cuda" && l.Threads != 0 &&
		(l.Threads < leastThreads || l.Threads > mostThreads || bits.OnesCount32(l.Threads) != 1) {
		return algo.Unsupported("bitonic with %d threads per block: its tiles need a power of two from %d to %d; bitonic-shared takes any number",
			l.Threads, leastThreads, mostThreads)
	}
	if l.Blocks > maxBlocks {
		return algo.Unsupported("%v with %d blocks: a launch has at most %d", v, l.Blocks, maxBlocks)
	}
	return nil
}

// tileOf chooses the tile of a variant for n elements.
func tileOf(v Variant, elementBits int, n uint64, c driver.Caps, l algo.Params) (tile, error) {
	word := registerBytes(elementBits)
	var t tile
	switch {
	case c.Backend != "cuda":
		t = openclTile(v, word, c)
	case v == Best:
		t.threads = mostThreads * 4 / uint32(word)
		for t.threads > leastThreads && uint64(t.threads)<<(itemsLog-1) >= n {
			t.threads /= 2
		}
	default:
		// For few elements no tile is larger than the smallest power of two that
		// holds them.
		t.log = min(sharedLog, max(bits.Len64(n-min(n, 1)), 6))
		t.threads = uint32(min(1<<(t.log-1), 1024))
	}
	if l.Threads != 0 {
		t.threads = l.Threads
	} else {
		t.threads = algo.GroupThreads(c, t.threads)
	}
	limit := max(c.SharedPerBlock, c.SharedPerBlockMax)
	if c.Backend == "cuda" && v == Best {
		t.log = bits.Len32(t.threads) - 1 + itemsLog
		t.shared = padded(1<<t.log, word)
	} else {
		t.shared = uint32(word) << t.log
	}
	if limit != 0 && uint64(t.shared) > limit {
		return t, algo.Unsupported("%v needs %d bytes of shared memory per block for %d threads and elements of %d bytes, %s has %d",
			v, t.shared, t.threads, word, c.ID, limit)
	}
	return t, nil
}

// padded is the shared memory of a tile in registers: a sum of its own, since the threads
// are the launch's. TestPadded compares it with the kernels'.
func padded(elements uint32, word int) uint32 {
	pad := elements >> 4
	if word == 4 {
		pad = elements >> 5
	}
	return (elements + pad) * uint32(word)
}

// openclTile does not depend on n, since every tile is a program of its own.
func openclTile(v Variant, word int, c driver.Caps) tile {
	t := tile{log: sharedLog, threads: stepThreads}
	most := localBytes
	switch {
	case c.CPU:
		t.log, t.threads, most = hostLog, 1, hostBytes
	case v == Best:
		t.log = localLog
	}
	if c.SharedPerBlock != 0 {
		most = min(most, int(c.SharedPerBlock))
	}
	for t.log > 6 && word<<t.log > most {
		t.log--
	}
	return t
}
