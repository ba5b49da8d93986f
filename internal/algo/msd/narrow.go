package msd

import (
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// leastNarrow is the smallest input, as a power of 2, with steps for keys whose
// upper halves are all the same: below it four launches that are seldom needed
// cost more than a hundredth of the sort.
const leastNarrow = 24

// narrow collects the steps that sort 64-bit keys by their lower halves, which
// run if the device finds that the upper ones are all the same, and has counted the
// lower ones since those of a sample were. The first split goes to the first half of
// alt, the second to the other, the buckets' sort back to the caller's keys.
type narrow struct {
	whole, pol tune.MsdCuda // of 64-bit keys, for the first split; of 32-bit keys

	state, starts, cursors1, cursors2, tiles, slow, alt plan.Ref
}

// narrowOf returns the steps for p, without places, if p has at least so many keys
// and they fit the device.
func narrowOf(p plan.Problem, c driver.Caps, least uint64) (narrow, bool) {
	if p.Type.Bits() != 64 || p.Items < least {
		return narrow{}, false
	}
	pol, ok := tune.MsdCudaFor(tune.CUDATarget(c), 32, 0)
	whole, _ := policy(p, c)
	s := sharedNarrow(c)
	return narrow{whole: whole, pol: pol}, ok && uint64(s.largest()) <= max(c.SharedPerBlock, c.SharedPerBlockMax)
}

// sharedNarrow is the shared memory of the launches but for the histogram, whose is the
// usual one's.
func sharedNarrow(c driver.Caps) sharedMemory {
	of := func(stage string) uint32 { return layout.Shared(tune.CUDATarget(c), "msd", stage, 0, 0) }
	return sharedMemory{first: of("narrowfirst"), second: of("narrowsecond"), bucket: of("widen"), slow: of("slowwiden")}
}

// sort appends the splits and the buckets' sorts. Their least traffic is 0: they
// are not expected to run.
func (n narrow) sort(b *plan.Builder, p plan.Problem, c driver.Caps, bits1, bits2 uint32) {
	keys, items, codec := plan.At(plan.Ref{Region: plan.KeysIO}), plan.U32(uint32(p.Items)), plan.U32(uint32(p.Codec()))
	first, second := plan.At(n.alt), plan.At(n.alt.Add(p.KeyBytes()/2))
	s, units := sharedNarrow(c), uint32(max(c.ComputeUnits, 1))
	b.Launch("lower halves: first split", kernel.Plain("msd", "narrowfirst"), units*n.whole.FirstBlocks, n.whole.FirstThreads, 0,
		keys, first, items, plan.At(n.cursors1), plan.At(n.state), plan.U32(bits1), codec).SharedBytes = s.first
	b.Launch("lower halves: second split", kernel.Plain("msd", "narrowsecond"), units*n.pol.SecondBlocks, n.pol.SecondThreads, 0,
		first, second, plan.At(n.cursors2), plan.At(n.tiles), plan.At(n.state), plan.U32(bits1), plan.U32(bits2)).SharedBytes = s.second
	b.Launch("lower halves: sort buckets", kernel.Plain("msd", "widen"), units*n.pol.RunsBlocks, n.pol.RunsThreads, 0,
		second, keys, plan.At(n.starts), plan.At(n.state), plan.At(n.slow), plan.U32(bits1+bits2), codec).SharedBytes = s.bucket
	b.Launch("lower halves: sort slow buckets", kernel.Plain("msd", "slowwiden"), slowBlocks(c), n.pol.SlowThreads, 0,
		second, keys, plan.At(n.starts), plan.At(n.state), plan.At(n.slow), codec).SharedBytes = s.slow
}
