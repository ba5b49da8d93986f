package scan

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// vectorBytes is one load of a thread.
const vectorBytes = 16

// maxLookbackThreads is the kernel's launch bound.
const maxLookbackThreads = 256

// maxTiles bounds the tiles: their numbers have 32 bits.
const maxTiles = 1<<32 - 1

func lookbackSupports(s algo.Sum, c driver.Caps, l algo.Params) error {
	if !c.ForwardProgress {
		return algo.Unsupported("scan-lookback waits for running blocks, and %s does not promise that they keep running; scan-blelloch needs no promise", c.Name)
	}
	pol, ok := tune.ScanCudaFor(tune.CUDATarget(c), s.Bits, 0)
	if !ok {
		return algo.Unsupported("no policy for prefix sums of %d bits", s.Bits)
	}
	if l.Threads%32 != 0 {
		return algo.Unsupported("scan-lookback needs a multiple of 32 threads per block, not %d", l.Threads)
	}
	if lookbackTiles(s, pol, l) > maxTiles {
		return algo.Unsupported("scan-lookback sums fewer elements than %d", s.Items)
	}
	if l.Threads > maxLookbackThreads {
		return algo.Unsupported("scan-lookback: %d threads per block are more than %d, which leave the registers that its tiles need: ask for fewer", l.Threads, maxLookbackThreads)
	}
	return checkThreads("scan-lookback", l.Threads, c)
}

// lookbackTiles counts the tiles from the 16-byte boundary below the data,
// which may lie one element short of it.
func lookbackTiles(s algo.Sum, pol tune.ScanCuda, l algo.Params) uint64 {
	each := uint64(vectorBytes * 8 / s.Bits)
	tile := uint64(lookbackThreads(pol, l)*pol.Vectors) * each
	return (s.Items + each - 1 + tile - 1) / tile
}

func lookbackThreads(pol tune.ScanCuda, l algo.Params) uint32 {
	if l.Threads != 0 {
		return l.Threads
	}
	return pol.Threads
}

// lookback appends the single pass. Scratch: a 64-bit word per tile and 32 bits
// of the element.
func lookback(b *plan.Builder, s algo.Sum, c driver.Caps, l algo.Params) {
	pol, ok := tune.ScanCudaFor(tune.CUDATarget(c), s.Bits, 0)
	if !ok || s.Items == 0 {
		return
	}
	size := uint64(s.Bits / 8)
	tiles := lookbackTiles(s, pol, l)
	const ticketBytes = 16
	words := b.Scratch("look-back", ticketBytes+tiles*8*uint64(s.Bits/32))
	b.Memset("clear look-back", words, 0, ticketBytes+tiles*8*uint64(s.Bits/32))
	grid := tiles
	if l.Blocks != 0 {
		grid = uint64(l.Blocks)
	}
	args := append([]plan.Arg{plan.At(s.Data)}, span(s.Items, s)...)
	b.Launch("sum by look-back", entry("lookback", s.Bits, c), uint32(min(grid, tiles)), lookbackThreads(pol, l), 2*s.Items*size,
		append(args, plan.At(words.Add(ticketBytes)), plan.At(words))...).SharedBytes = uint32(33*size + 8)
}
