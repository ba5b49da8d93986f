// Package segments plans the sort of each of many segments of the keys by itself, in place
// or as positions. The device reads the offsets once and lists the segments by length: warps
// sort short ones in registers, blocks those that fit their shared memory, and one launch
// of all multiprocessors splits longer ones by the digits of their keys, from the most
// significant on, until blocks can sort what is left. So one long segment keeps the whole
// device busy, and many short ones do.
//
// That is CUDA's form. On OpenCL work-items count the smaller keys of short segments, groups sort
// what fits their local memory, and three launches for each digit split what is longer. Of a
// processor it is an argsort of all keys, and a stable sort of its positions by segment.
package segments

import (
	"math"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const (
	name   = "segments"
	module = "segments"
)

// The messages of the device's refusals, by its codes. A %d is the number of the offset.
var refusals = []string{
	"offset %d is below the one before it: offsets must ascend",
	"offset %d is beyond the keys: offsets are from 0 to the number of keys",
}

// Algorithm returns the catalogue entry.
func Algorithm() algo.Algorithm {
	return algo.Algorithm{
		Name:     name,
		Doc:      "segments by length: networks in warps, radix sorts in blocks, and long ones split by digits first",
		Source:   "docs/algorithms/segments.md",
		Backends: []string{"cuda", "opencl"},
		Kind:     op.Segments,
		Supports: supports,
		Plan:     Plan,
	}
}

// valueBytes names the kernels: those of argsorts write positions of either width.
func valueBytes(p plan.Problem) int {
	if p.Mode == plan.Argsort {
		return 4
	}
	return 0
}

func supports(p plan.Problem, c driver.Caps) error {
	if err := supportsItems(p); err != nil {
		return err
	}
	if c.Backend == "opencl" {
		return supportsOpenCL(p, c)
	}
	switch limit := max(c.SharedPerBlock, c.SharedPerBlockMax); {
	case c.Arch < 61:
		return algo.Unsupported("%s need compute capability 6.1, %s has %d.%d", name, c.Name, c.Arch/10, c.Arch%10)
	case !c.SubGroups || !c.Atomics64:
		return algo.Unsupported("%s need warp votes and 64-bit atomics, which %s lacks", name, c.Name)
	default:
		need := layout.Most(tune.CUDATarget(c), module, p.Type.Bits(), valueBytes(p), "short", "small", "large", "split")
		if uint64(need) > limit {
			return algo.Unsupported("%s need %d bytes of shared memory per block, %s has %d", name, need, c.Name, limit)
		}
	}
	return nil
}

// supportsItems says what no device sorts.
func supportsItems(p plan.Problem) error {
	if p.Items > math.MaxUint32 {
		return algo.Unsupported("%s have places of 32 bits: %d keys are more than %d", name, p.Items, uint32(math.MaxUint32))
	}
	return nil
}

// Plan returns the steps. On CUDA scratch of keys alone is a second buffer of keys, of an argsort two
// of keys and two of positions of 4 bytes; and lists and counts of at most two thirds of a
// byte for each key and 64 KB. Of so few keys that none of some length can be there, what
// serves those is left out: up to 12,288 keys alone take no second buffer. planTiles and planSorts
// say OpenCL's.
func Plan(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	if c.Backend == "opencl" {
		return planOpenCL(p, c)
	}
	b := plan.NewBuilder(name, p)
	b.Overlap(tune.SM90(c))
	s := newSteps(b, p, c)
	s.check()
	if p.Items == 0 || p.Other == 0 && p.Mode == plan.Keys {
		return b.Plan(), nil
	}
	if s.runRoom > 0 {
		s.split()
	}
	if s.largeRoom > 0 {
		s.pieces("large", s.largeRoom, s.threads, 1)
	}
	if s.smallRoom > 0 {
		blocks := uint64(layout.SegmentsSmallBlocks)
		if p.Mode == plan.Argsort {
			blocks = layout.SegmentsSmallArgsortBlocks
		}
		s.pieces("small", s.smallRoom, layout.SegmentsSmallThreads, blocks)
	}
	s.short()
	b.Passes(1)
	return b.Plan(), nil
}

func entry(stage string, p plan.Problem) kernel.ID {
	return kernel.Entry(module, stage, p.Type.Bits(), valueBytes(p))
}
