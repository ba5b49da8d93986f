package msd

import (
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const (
	largeItems = layout.MsdLargeItems
	// A block sorts some thousand keys at least, so a segment has more. The first
	// level gives a segment 8 entries or one for 1,024 keys, the others 32.
	leastSegment, deepEntries = 4096, layout.MsdDeepEntries
)

// large is the cooperative launch that sorts what no block takes, and few different
// keys.
type large struct {
	pol                          tune.MsdCuda
	few                          fewKeys
	counts                       plan.Ref // zero; MsdLarge
	segments, tiles, units, pool plan.Ref
	state, starts, alt           plan.Ref
	most                         uint64
}

// largeOf returns the launch, without places, if the device has cooperative
// launches and the kernel, which is machine code for compute capability 9.0, fits
// it. Otherwise onesweep must sort such input.
func largeOf(p plan.Problem, c driver.Caps, pol tune.MsdCuda) (large, bool) {
	l := large{pol: pol, most: p.Items/leastSegment + 1}
	l.few.offered = takesCooperative(c) && fitsShared(c, l.shared(p))
	return l, l.few.offered
}

// takesCooperative reports whether the device has cooperative launches, and the
// kernels for them.
func takesCooperative(c driver.Caps) bool { return c.Cooperative && tune.SM90(c) }

// fitsShared reports whether a block can have so much shared memory.
func fitsShared(c driver.Caps, shared uint32) bool {
	return uint64(shared) <= max(c.SharedPerBlock, c.SharedPerBlockMax)
}

// shared is the shared memory, which only machine code needs.
func (l large) shared(p plan.Problem) uint32 {
	return layout.Shared("sm_90", "msd", "large", p.Type.Bits(), 0)
}

// room takes scratch for the lists of a level; of segments, of two levels.
func (l *large) room(b *plan.Builder, p plan.Problem) {
	tile := uint64(l.pol.RunsThreads * largeItems)
	entries := max(deepEntries*l.most, p.Items/512)
	l.segments = b.Scratch("segments", 2*layout.MsdSegmentBytes*l.most)
	l.tiles = b.Scratch("segments' tiles", 4*(p.Items/tile+2*l.most))
	l.units = b.Scratch("segments' units", entries/2+4)
	l.pool = b.Scratch("segments' digits", 4*entries)
}

// append appends the launch. Its least traffic is 0: it is not expected to run.
func (l large) append(b *plan.Builder, p plan.Problem, c driver.Caps, total uint32) {
	s := b.Launch("sort large buckets", entry("large", p), uint32(max(c.ComputeUnits, 1))*layout.MsdLargeBlocks, l.pol.RunsThreads, 0,
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(l.alt), plan.At(l.starts), plan.At(l.state),
		plan.At(l.counts), plan.At(l.segments), plan.At(l.tiles), plan.At(l.units), plan.At(l.pool),
		plan.At(l.few.dictionary), plan.U32(uint32(l.most)), plan.U32(uint32(p.Items)), plan.U32(total), plan.U32(uint32(p.Codec())))
	s.SharedBytes, s.Cooperative = l.shared(p), true
}
