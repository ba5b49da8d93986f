package gather

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

// Work-items of an OpenCL group, units that each has on their way, and groups of a compute unit.
const groupThreads, threadUnits, unitGroups = 256, 4, 8

// openCL is the launch of gather: id is built for it.
func openCL(p plan.Problem, c driver.Caps, id kernel.ID) (built kernel.ID, grid, threads uint32) {
	threads = algo.WorkItems(c, groupThreads)
	built = algo.Built(c, id,
		kernel.Macro("GS_WIDTH", p.Type.Bits()), kernel.Macro("GS_THREADS", threads), kernel.Macro("GS_EACH", threadUnits))
	return built, algo.Grid(c, p.Items*uint64(p.Width), uint64(threads)*threadUnits, unitGroups), threads
}
