package scan

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// ladderSupports holds for Hillis–Steele and Blelloch.
func ladderSupports(s algo.Sum, c driver.Caps, l algo.Params) error {
	g, err := layoutOf(s.Bits, c, l)
	if err != nil {
		return err
	}
	if !isPowerOfTwo(g.threads) {
		return algo.Unsupported("prefix sums need a power of two of threads per block, not %d", g.threads)
	}
	if err := checkThreads("prefix sum", g.threads, c); err != nil {
		return err
	}
	if need := uint64(treeBytes(g.threads, s.Bits)); c.SharedPerBlock != 0 && c.SharedPerBlock < need {
		return algo.Unsupported("scan-blelloch needs %d bytes of shared memory per block of %d, %s has %d: ask for fewer threads", need, g.threads, c.Name, c.SharedPerBlock)
	}
	return nil
}

// hillis appends the steps of Hillis and Steele: with a copy between two arrays
// per step, the last into Data. An odd number of steps starts with a copy; an
// exclusive sum moves its elements one place on in the first step.
func hillis(b *plan.Builder, s algo.Sum, c driver.Caps, l algo.Params) {
	g, err := layoutOf(s.Bits, c, l)
	if err != nil || s.Items == 0 || s.Items == 1 && s.Inclusive {
		return
	}
	size := uint64(s.Bits / 8)
	var distances []uint64
	for d := uint64(1); d < s.Items; d *= 2 {
		distances = append(distances, d)
	}
	alt := s.Data
	if s.Items > 1 {
		alt = b.Scratch("other sums", s.Items*size)
	}
	if len(distances)%2 == 1 || s.Items == 1 {
		distances = append([]uint64{0}, distances...)
	}
	from, to := s.Data, alt
	for i, d := range distances {
		shift, reads := uint32(0), uint64(2)
		if i == 0 && !s.Inclusive {
			shift = 1
		}
		label := fmt.Sprintf("add at distance %d", d)
		if d == 0 {
			label, reads = "copy", 1
		}
		args := append([]plan.Arg{plan.At(from), plan.At(to)}, span(s.Items, s)...)
		b.Launch(label, entry("hillis", s.Bits, c), g.grid((s.Items+uint64(g.threads)-1)/uint64(g.threads), c), g.threads,
			(reads+1)*s.Items*size, append(args, plan.U64(d), plan.U32(shift))...)
		from, to = to, from
	}
}

// treeBytes is the shared memory of a tile of 2·threads elements with a word of
// padding per 32: a sum of its own, since the threads are the launch's. TestTreeBytes
// compares it with the kernels'.
func treeBytes(threads uint32, width int) uint32 {
	tile := 2 * threads
	return (tile + tile/32) * uint32(width/8)
}

// blelloch appends a scan of every tile, a scan of the tiles' sums by the same
// means, and the addition of these.
func blelloch(b *plan.Builder, s algo.Sum, c driver.Caps, l algo.Params) {
	g, err := layoutOf(s.Bits, c, l)
	if err != nil || s.Items == 0 {
		return
	}
	size := uint64(s.Bits / 8)
	tiles := func(n uint64) uint64 { return (n + 2*uint64(g.threads) - 1) / (2 * uint64(g.threads)) }
	type level struct {
		algo.Sum
		sums plan.Ref
	}
	var levels []level
	for at := s; ; {
		n := tiles(at.Items)
		if n == 1 {
			levels = append(levels, level{at, at.Data})
			break
		}
		sums := b.Scratch(fmt.Sprintf("sums %d", len(levels)+1), n*size)
		levels = append(levels, level{at, sums})
		at = algo.Sum{Data: sums, Items: n, Bits: s.Bits}
	}
	for i, v := range levels {
		n := tiles(v.Items)
		args := append([]plan.Arg{plan.At(v.Data)}, span(v.Items, v.Sum)...)
		wanted := uint32(1)
		if n == 1 {
			wanted = 0
		}
		b.Launch(fmt.Sprintf("sum tiles, level %d", i), entry("blelloch_tiles", s.Bits, c), g.grid(n, c), g.threads,
			2*v.Items*size+n*size, append(args, plan.At(v.sums), plan.U32(wanted))...).SharedBytes = treeBytes(g.threads, s.Bits)
	}
	for i := len(levels) - 2; i >= 0; i-- {
		v := levels[i]
		args := append([]plan.Arg{plan.At(v.Data)}, span(v.Items, v.Sum)...)
		b.Launch(fmt.Sprintf("add tile sums, level %d", i), entry("blelloch_add", s.Bits, c), g.grid(tiles(v.Items), c), g.threads,
			2*v.Items*size, append(args, plan.At(v.sums))...)
	}
}
