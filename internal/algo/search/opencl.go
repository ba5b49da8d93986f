package search

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	kernels "github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

// Work-items of an OpenCL group, and queries that each looks for at once.
const groupThreads, threadQueries = 256, 4

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
		var macros []string
		for _, m := range []struct {
			name  string
			value uint64
		}{
			{"WIDTH", uint64(p.Type.Bits())}, {"THREADS", uint64(threads)}, {"EACH", threadQueries},
			{"FAN", fan}, {"TOP", top}, {"ALIGN", kernels.SearchAlign},
		} {
			macros = append(macros, fmt.Sprintf("GS_%s=%d", m.name, m.value))
		}
		return entry(stage, values).Variant(macros...)
	}
	return launch{built, threads, threads * threadQueries}
}
