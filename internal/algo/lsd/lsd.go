// Package lsd plans radix-lsd: a stable least-significant-digit radix sort with
// 8-bit digits by reduce-then-scan. No group waits for another, so that it runs
// on every device that has barriers and local memory, as OpenCL has it.
//
// A fixed number of groups each take a contiguous range of tiles. After one
// analysis of the keys, every digit is three launches: upsweep counts each
// group's digits, scan turns counts into places, downsweep moves the keys.
// A user can name the prefix sum that stands in for scan.
// Which digits vary, and whether the input is sorted or reversed, the kernels
// read from a control block on the device; launches that have nothing to do end
// at once.
//
// Source: Merrill and Grimshaw, "High performance and scalable radix sorting"
// (2011).
package lsd

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

const name = "radix-lsd"

// Algorithm is radix-lsd for OpenCL. CUDA gives the forward progress that onesweep
// needs, which sorts all that radix-lsd could.
var Algorithm = algo.Algorithm{
	Name:     name,
	Doc:      "LSD radix sort, reduce-then-scan: stable, needs no forward progress",
	Source:   "Merrill and Grimshaw 2011",
	Backends: []string{"opencl"},
	Instead:  "on CUDA devices name onesweep, or the same card as an OpenCL device",
	Scans:    true,
	Supports: supports,
	Plan:     makePlan,
}

func supports(p plan.Problem, c driver.Caps) error {
	g, err := geometryOf(p.Type.Bits(), p.ValueBytes, c)
	if err != nil {
		return err
	}
	if c.MaxThreadsPerBlock != 0 && uint32(c.MaxThreadsPerBlock) < g.threads {
		return algo.Unsupported("radix-lsd needs work-groups of %d, %s allows %d", g.threads, c.ID, c.MaxThreadsPerBlock)
	}
	if need := g.sharedBytes(p.Type.Bits(), p.ValueBytes); c.SharedPerBlock != 0 && c.SharedPerBlock < need {
		return algo.Unsupported("radix-lsd needs %d bytes of local memory per group, %s has %d", need, c.ID, c.SharedPerBlock)
	}
	return nil
}
