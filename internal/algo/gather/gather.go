// Package gather plans gather: each item of the result is the source's item at a given
// place. Places outside the source are refused.
package gather

import (
	"math"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	kernels "github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

const name = "gather"

// mostBlocks is what a grid of CUDA has.
const mostBlocks = 1<<31 - 1

// Algorithm returns gather.
func Algorithm() algo.Algorithm {
	return algo.Algorithm{
		Name: name, Kind: op.Gather, Backends: []string{"cuda", "opencl"},
		Doc:      "items of a source in the order of given places, by the widest words that they are aligned to",
		Source:   "docs/rfcs/0010-operations.md",
		Supports: supports, Plan: Plan,
	}
}

func supports(p plan.Problem, _ driver.Caps) error {
	if p.Width > math.MaxInt32 || p.Items > math.MaxUint64/uint64(p.Width) {
		return algo.Unsupported("gather moves no items of %d bytes", p.Width)
	}
	return nil
}

// Plan returns the steps. Scratch is the status record.
func Plan(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder(name, p)
	if p.Items == 0 {
		return b.Plan(), nil
	}
	status := b.Scratch("status", plan.StatusBytes)
	b.Refuses(status, "place %s is outside the source")
	b.Memset("clear status", status, 0, plan.StatusBytes)
	width := uint64(p.Width)
	unit := min(width&-width, 16) // that of buffers whose alignment is the width's
	grid := uint32(min((p.Items*(width/unit)+kernels.GatherThreads-1)/kernels.GatherThreads, mostBlocks))
	id, threads := kernel.Entry(name, "items", p.Type.Bits(), 0), uint32(kernels.GatherThreads)
	if c.Backend == "opencl" {
		id, grid, threads = openCL(p, c, id)
	}
	b.Launch("gather", id, grid, threads, p.KeyBytes()+2*p.Items*width,
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(plan.Ref{Region: plan.ValuesIO}), plan.At(plan.Ref{Region: op.OtherIO}),
		plan.U64(p.Items), plan.U64(p.Other), plan.U32(uint32(p.Width)), plan.Bool(p.Type.Row().Kind == key.Signed), plan.At(status))
	b.Passes(1)
	return b.Plan(), nil
}
