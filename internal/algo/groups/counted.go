package groups

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	// mostThreads are the work-items of a group, unitGroups groups of a compute unit.
	mostThreads, unitGroups = 256, 8
	// shareStep is what the length of a share is a multiple of: no share of a processor's is tiny.
	shareStep = 4096
)

// shares is the launch of count and write: threads of a group, and how many shares of how many keys.
func shares(p plan.Problem, c driver.Caps) (threads uint32, number, share uint64) {
	groups := uint64(max(c.ComputeUnits, 1)) * unitGroups
	share = (p.Items + groups - 1) / groups
	share = (share + shareStep - 1) / shareStep * shareStep
	return algo.WorkItems(c, mostThreads), (p.Items + share - 1) / share, share
}

// reduceThenScan appends count, unless there is one share, and write: the keys are read twice.
func reduceThenScan(b *plan.Builder, p plan.Problem, c driver.Caps) {
	threads, number, share := shares(p, c)
	keys, bits := plan.Ref{Region: plan.KeysIO}, p.Type.Bits()
	status := b.Scratch("status", plan.StatusBytes)
	counts := b.Scratch("counts", number*8)
	values, starts := outputs(p, status)
	entry := func(k kernel.ID) kernel.ID {
		return k.Variant(kernel.Macro("GS_WIDTH", bits), kernel.Macro("GS_THREADS", threads))
	}
	if number > 1 {
		b.Launch("count heads", entry(kernel.Entry(name, "count", bits, 0)), uint32(number), threads, p.KeyBytes(),
			plan.At(keys), plan.U64(p.Items), plan.U64(share), plan.At(counts))
	}
	b.Launch("write groups", entry(kernel.Entry(name, "write", bits, p.ValueBytes)), uint32(number), threads,
		p.KeyBytes()+8*number, plan.At(keys), plan.U64(p.Items), plan.U64(share), plan.At(counts),
		plan.At(values), plan.At(starts), plan.U64(p.Other), plan.U32(uint32(p.Mode)), plan.At(status))
	b.Refuses(status, noRoom)
	b.Passes(min(2, int(number)))
}
