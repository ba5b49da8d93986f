package search

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	kernels "github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

// Work-items of an OpenCL group, queries that each looks for at once, and groups of a compute unit.
const groupThreads, threadQueries, unitGroups = 256, 4, 4

// localTop is top, or the largest part of it, halved, that fits the local memory with the
// places between its samples: an eighth at most.
func localTop(c driver.Caps, top, keyBytes uint64) uint64 {
	for c.SharedPerBlock != 0 && top*keyBytes*9/8 > c.SharedPerBlock {
		top /= 2
	}
	return top
}

// openCL is the launch: entry's kernels are built for it.
func openCL(p plan.Problem, c driver.Caps, entry func(string, int) kernel.ID) launch {
	threads := algo.WorkItems(c, groupThreads)
	fan, top := treeOf(p, c)
	built := func(stage string, values int) kernel.ID {
		return algo.Built(c, entry(stage, values),
			kernel.Macro("GS_WIDTH", p.Type.Bits()), kernel.Macro("GS_THREADS", threads), kernel.Macro("GS_EACH", threadQueries),
			kernel.Macro("GS_FAN", fan), kernel.Macro("GS_TOP", top), kernel.Macro("GS_ALIGN", kernels.SearchAlign))
	}
	return launch{built, threads, threads * threadQueries, unitGroups}
}
