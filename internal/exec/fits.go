package exec

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// The extents of a CUDA grid, compute capability 3 and later (CUDA C++
// Programming Guide, technical specifications). OpenCL bounds them by the width
// of size_t alone.
const (
	maxGridX  = 1<<31 - 1
	maxGridYZ = 1<<16 - 1
)

// fits says which launch of a plan a device with capabilities c cannot make:
// too many threads for it or for the kernel as compiled, too much shared
// memory, too large a grid. It is asked where a user chose the layout, before
// anything runs. Its errors wrap driver.ErrUnsupported.
func (p *prepared) fits(c driver.Caps) error {
	for i, s := range p.Steps {
		if s.Op != plan.OpLaunch {
			continue
		}
		a, err := p.kernels[i].Attributes()
		if err != nil {
			return err
		}
		threads := s.Threads()
		for _, most := range []int{c.MaxThreadsPerBlock, a.MaxThreadsPerBlock} {
			if most != 0 && threads > uint64(most) {
				return algo.Unsupported("%s (%s): %d threads per block, %s allows this kernel %d: ask for fewer", s.Label, s.Kernel.Symbol, threads, c.ID, most)
			}
		}
		if shared, most := uint64(a.SharedBytes)+uint64(s.SharedBytes), max(c.SharedPerBlock, c.SharedPerBlockMax); most != 0 && shared > most {
			return algo.Unsupported("%s (%s): %d bytes of shared memory per block, %s has %d: ask for fewer threads or a smaller maximum",
				s.Label, s.Kernel.Symbol, shared, c.ID, most)
		}
		if c.Backend == "cuda" && (s.Grid[0] > maxGridX || s.Grid[1] > maxGridYZ || s.Grid[2] > maxGridYZ) {
			return algo.Unsupported("%s (%s): a grid of %v blocks, CUDA allows %d × %d × %d: ask for fewer", s.Label, s.Kernel.Symbol, s.Grid, maxGridX, maxGridYZ, maxGridYZ)
		}
	}
	return nil
}
