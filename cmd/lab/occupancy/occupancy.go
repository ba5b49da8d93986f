// Package occupancy computes how many blocks of a kernel one multiprocessor
// holds at once, and what limits them, from what the compiler says of the
// kernel and the device of itself. The rules are those of the table of
// technical specifications in the CUDA C++ Programming Guide.
package occupancy

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
)

// Result is the theoretical occupancy of one launch.
type Result struct {
	Blocks  int     // resident on one multiprocessor
	Share   float64 // of the warps that it can hold, 0 to 1
	Limiter string  // "threads", "registers", "shared memory", "blocks", "grid"
	// Waves is how often the grid fills the device: 1.2 is one full round and a
	// fifth of a second.
	Waves float64
}

// Granularities of allocation: registers come in units of 256 per warp since
// compute capability 3, shared memory in units of 128 bytes since 7, and since
// 8 the system takes 1 KiB of it per block.
const (
	registerUnit   = 256
	sharedUnit     = 128
	sharedReserved = 1 << 10
)

// maxBlocks is the greatest number of resident blocks by compute capability.
func maxBlocks(arch int) int {
	switch arch {
	case 75, 86, 87:
		return 16
	case 89, 120, 121:
		return 24
	}
	return 32
}

// Of computes the occupancy of blocks of the given threads with dynamic shared
// memory, grid of them in all. The error says what the device lacks to tell, or
// why not even one block fits.
func Of(c driver.Caps, a driver.Attributes, threads int, dynamic uint32, grid uint64) (Result, error) {
	if c.MaxThreadsPerUnit == 0 || c.RegistersPerUnit == 0 || c.WarpSize == 0 || a.Registers == 0 {
		return Result{}, fmt.Errorf("%w: %s does not tell its registers", driver.ErrUnsupported, c.Backend)
	}
	if threads <= 0 {
		return Result{}, fmt.Errorf("a block of %d threads", threads)
	}
	warps := roundUp(threads, c.WarpSize) / c.WarpSize
	r := Result{Blocks: maxBlocks(c.Arch), Limiter: "blocks"}
	limit := func(n int, by string) {
		if n < r.Blocks {
			r.Blocks, r.Limiter = n, by
		}
	}
	limit(c.MaxThreadsPerUnit/c.WarpSize/warps, "threads")
	limit(c.RegistersPerUnit/(warps*roundUp(a.Registers*c.WarpSize, registerUnit)), "registers")
	shared := a.SharedBytes + int(dynamic)
	if c.Arch >= 80 {
		shared += sharedReserved
	}
	if shared > 0 && c.SharedPerUnit > 0 {
		limit(int(c.SharedPerUnit)/roundUp(shared, sharedUnit), "shared memory")
	}
	if r.Blocks == 0 {
		return r, fmt.Errorf("not even one block of %d threads fits: too much of %s", threads, r.Limiter)
	}
	if units := uint64(max(c.ComputeUnits, 1)); grid > 0 {
		r.Waves = float64(grid) / float64(units*uint64(r.Blocks))
		if perUnit := (grid + units - 1) / units; perUnit < uint64(r.Blocks) {
			r.Blocks, r.Limiter = int(perUnit), "grid"
		}
	}
	r.Share = float64(r.Blocks*warps) / float64(c.MaxThreadsPerUnit/c.WarpSize)
	return r, nil
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }
