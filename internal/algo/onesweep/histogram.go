package onesweep

import (
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// wideLeast is the smallest input of the wide histogram in bytes. Clearing and
// adding up its columns costs each multiprocessor about one microsecond; it saves
// as much in 4 to 6 MB. Four times that also gives every warp two chunks. Tests lower it.
var wideLeast uint64 = 16 << 20

func wideShared(p plan.Problem) uint32 {
	return layout.Shared("sm_90", "onesweep", "histogramwide", p.Type.Bits(), 0)
}

// wide says whether the histogram of so many keys of the problem's type takes a column
// of counters per lane: there is code for it, the device has the shared memory, and
// there are keys enough.
func wide(p plan.Problem, c driver.Caps, items uint64) bool {
	return tune.CUDATarget(c) == "sm_90" && p.Type.Bits() >= 32 &&
		uint64(wideShared(p)) <= max(c.SharedPerBlock, c.SharedPerBlockMax) &&
		items*uint64(p.Type.Bytes()) >= wideLeast
}

// widen makes s, the launch of a histogram of p's key type, that of the wide one on so
// many multiprocessors, which empties its counters after `steps` chunks a warp; 0: as
// rarely as they can hold.
func widen(s *plan.Step, p plan.Problem, units, steps uint32, low bool) {
	s.Kernel = kernel.Entry("onesweep", "histogramwide", p.Type.Bits(), 0)
	s.Grid[0], s.Block[0], s.SharedBytes = units, layout.WideThreads, wideShared(p)
	s.Args = append(s.Args, plan.Bool(low), plan.U32(steps))
}

// histogram is the launch that counts the digits of all keys at once.
type histogram struct {
	label   string
	keys    plan.Ref
	items   uint64
	control plan.Ref
	mode    plan.Mode // for which passes are planned
	gate    plan.Arg  // 0: none
	low     bool      // of the wide histogram: passes may leave out the lowest digits
	moved   uint64    // the least traffic
}

// append adds the launch to b, for keys of p's type, behind one that says how keys of 32 and 64 bits are narrowed.
// blocks is the grid of the histogram in one table.
func (h histogram) append(b *plan.Builder, p plan.Problem, c driver.Caps, blocks uint32) {
	pol, _ := policy(p, c)
	args := []plan.Arg{plan.At(h.keys), plan.U64(h.items), plan.At(h.control), plan.U32(uint32(p.Codec())), plan.U32(uint32(h.mode)), h.gate}
	if p.Type.Bits() >= 32 && h.items >= layout.BoundsThreads {
		chunk := uint64(16 / p.Type.Bytes() * 4 * layout.BoundsThreads)
		grid := min((h.items+chunk-1)/chunk, 2*uint64(max(c.ComputeUnits, 1)))
		b.Launch(h.label+": bounds", kernel.Entry("onesweep", "bounds", p.Type.Bits(), 0), uint32(grid), layout.BoundsThreads, 0, args...)
	}
	s := b.Launch(h.label, kernel.Entry("onesweep", "histogram", p.Type.Bits(), 0), blocks, pol.HistThreads, h.moved, args...)
	if wide(p, c, h.items) {
		widen(s, p, uint32(max(c.ComputeUnits, 1)), 0, h.low)
	}
}
