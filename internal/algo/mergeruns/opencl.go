package mergeruns

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	// groupThreads are the work-items of an OpenCL group, of which so many look for one border.
	groupThreads, groupLanes = 256, 8
	// Keys that a work-item merges: in registers, so many of 8 bytes, or all of a processor's group.
	threadItems, threadItems64, aloneItems = 15, 9, 4096
)

// openCL is the launch: entry's kernels are built for it.
func openCL(p plan.Problem, c driver.Caps, entry func(string) kernel.ID) launch {
	threads, items := algo.WorkItems(c, groupThreads)/groupLanes*groupLanes, uint32(threadItems)
	l := launch{threads: threads, partition: threads, borders: uint64(threads / groupLanes)}
	switch {
	case threads == 0:
		l, items = launch{threads: 1, partition: 1, borders: 1}, aloneItems
	case p.Type.Bytes() == 8:
		items = threadItems64
	}
	l.tile = uint64(l.threads) * uint64(items)
	l.entry = func(stage string) kernel.ID {
		return algo.Built(c, entry(stage),
			kernel.Macro("GS_WIDTH", p.Type.Bits()), kernel.Macro("GS_THREADS", l.threads), kernel.Macro("GS_ITEMS", items))
	}
	return l
}
