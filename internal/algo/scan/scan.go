// Package scan plans prefix sums, the stage between the counting and the moving
// of every counting and radix sort, and programs to be measured in their own
// right. docs/algorithms/scan.md draws how each moves its data.
//
//	scan-hillis-steele  a launch per doubling of the distance, n log n additions
//	scan-blelloch       a tree per tile, up and down, and again over tile sums
//	scan-lookback       one pass: each tile waits for the sums before it
package scan

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// Scans returns the prefix sums, the simplest first.
func Scans() []algo.Scan {
	return []algo.Scan{
		{
			Name:     "scan-hillis-steele",
			Doc:      "prefix sum by doubling distances: a launch per step, n log n additions",
			Source:   "report 001; Hillis and Steele 1986, Data parallel algorithms, CACM 29(12), p. 1173",
			Backends: []string{"cuda", "opencl"}, Supports: ladderSupports, Append: hillis,
		},
		{
			Name:     "scan-blelloch",
			Doc:      "prefix sum by a tree in shared memory, up and down, recursively over tile sums",
			Source:   "report 001's wish; Blelloch 1990, Prefix sums and their applications",
			Backends: []string{"cuda", "opencl"}, Supports: ladderSupports, Append: blelloch,
		},
		{
			Name:     "scan-lookback",
			Doc:      "prefix sum in one pass by decoupled look-back",
			Source:   "report 001's wish; Merrill and Garland 2016, NVR-2016-002",
			Backends: []string{"cuda"}, Supports: lookbackSupports, Append: lookback,
		},
	}
}

// Find returns the prefix sum of a name. The error lists the known names.
func Find(name string) (algo.Scan, error) {
	var known []string
	for _, a := range Scans() {
		if strings.EqualFold(a.Name, name) {
			return a, nil
		}
		known = append(known, a.Name)
	}
	return algo.Scan{}, fmt.Errorf("unknown prefix sum %q: known are %s", name, strings.Join(known, ", "))
}

// Named is Find for a stage that sums s on a device with capabilities c: its
// error says, too, why that prefix sum cannot.
func Named(name string, s algo.Sum, c driver.Caps) (algo.Scan, error) {
	a, err := Find(name)
	if err != nil {
		return a, algo.Unsupported("%v", err)
	}
	return a, a.Check(s, c, algo.Params{})
}

// Default returns the prefix sum that a stage without a wish takes: the fastest
// that runs on the device.
func Default(c driver.Caps) algo.Scan {
	all := Scans()
	if c.Backend == "cuda" && c.ForwardProgress {
		return all[2]
	}
	return all[1]
}

// flags of the kernels' parameters.
const (
	flagInclusive = 1
	flagLimited   = 2
)

// span are the arguments n, limit and flags of every kernel.
func span(items uint64, s algo.Sum) []plan.Arg {
	limit, flags := s.Data, uint32(0)
	if s.Inclusive {
		flags |= flagInclusive
	}
	if s.Limit != nil {
		limit, flags = *s.Limit, flags|flagLimited
	}
	return []plan.Arg{plan.U64(items), plan.At(limit), plan.U32(flags)}
}

// maxLaunchThreads is the launch bound of all kernels of module scan.
const maxLaunchThreads = 1024

// layout is the launch geometry of the ladder's scans.
type layout struct {
	threads, blocks uint32 // blocks is 0 if the user set none
	perUnit         uint32
	serial          bool
}

// layoutOf joins policy and launch parameters.
func layoutOf(width int, c driver.Caps, l algo.Params) (layout, error) {
	var g layout
	if c.Backend == "cuda" {
		r, ok := tune.ScanCudaFor(tune.CUDATarget(c), width, 0)
		if !ok {
			return g, algo.Unsupported("no policy for prefix sums of %d bits", width)
		}
		g = layout{threads: r.LadderThreads, perUnit: r.LadderBlocks}
	} else {
		r, ok := tune.ScanOpenclFor(oclTarget(c), width, 0)
		if !ok {
			return g, algo.Unsupported("no policy for prefix sums of %d bits", width)
		}
		g = layout{threads: r.Threads, perUnit: r.Blocks, serial: c.CPU}
	}
	if most := uint32(c.MaxThreadsPerBlock); most != 0 && l.Threads == 0 {
		for g.threads > most {
			g.threads /= 2
		}
	}
	g.blocks = l.Blocks
	if l.Threads != 0 {
		g.threads = l.Threads
	}
	return g, nil
}

// grid is the number of blocks for a number of tiles.
func (g layout) grid(tiles uint64, c driver.Caps) uint32 {
	if g.blocks != 0 {
		return g.blocks
	}
	return algo.Grid(c, tiles, 1, uint64(g.perUnit))
}

func oclTarget(c driver.Caps) string {
	if c.CPU {
		return "serial"
	}
	return "simt"
}

func entry(stage string, width int, c driver.Caps) kernel.ID {
	symbol := "gs_scan_" + stage + "_" + map[int]string{32: "32", 64: "64"}[width]
	id := kernel.ID{Module: "scan", Symbol: symbol}
	if c.Backend == "opencl" {
		return id.Variant("GS_TARGET_" + map[bool]string{true: "SERIAL", false: "SIMT"}[c.CPU])
	}
	return id
}

// checkThreads reports a block that no device or this one cannot launch.
func checkThreads(what string, threads uint32, c driver.Caps) error {
	most := algo.GroupThreads(c, maxLaunchThreads)
	if threads > most {
		return algo.Unsupported("%s: %d threads per block, %s allows %d: ask for fewer", what, threads, c.Name, most)
	}
	return nil
}

func isPowerOfTwo(x uint32) bool { return bits.OnesCount32(x) == 1 }
