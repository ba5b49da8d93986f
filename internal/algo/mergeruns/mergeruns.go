// Package mergeruns plans the merge of two sorted runs, which lie anywhere, into a third
// place.
package mergeruns

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	kernels "github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	name   = "merge-runs"
	module = "mergeruns"
)

// mostTiles is what a grid of CUDA has of blocks.
const mostTiles = 1<<31 - 2

// partitionThreads are those of a block that looks for the borders of tiles, of which a
// multiprocessor has so many.
const partitionThreads, partitionBlocks = 256, 8

// Algorithm returns merge-runs.
func Algorithm() algo.Algorithm {
	return algo.Algorithm{
		Name: name, Kind: op.Merge, Backends: []string{"cuda", "opencl"},
		Doc:      "merge path: the borders of tiles by bisection, then tiles through shared memory",
		Source:   "Green, Odeh and Birk 2014, arXiv 1406.2628",
		Supports: supports, Plan: Plan,
	}
}

// launch is how the device's kernels are launched.
type launch struct {
	entry              func(stage string) kernel.ID
	threads, partition uint32 // of a block that merges a tile, and of one that looks for borders
	tile, borders      uint64 // keys of a tile, and borders that a block looks for at once
}

func launchOf(p plan.Problem, c driver.Caps) launch {
	entry := func(stage string) kernel.ID { return kernel.Entry(module, stage, p.Type.Bits(), 0) }
	if c.Backend == "opencl" {
		return openCL(p, c, entry)
	}
	tile := uint64(kernels.MergeRunsThreads * kernels.MergeRunsItems)
	if p.Type.Bytes() == 4 {
		tile = kernels.MergeRunsThreads * kernels.MergeRunsItems32
	}
	return launch{entry, kernels.MergeRunsThreads, partitionThreads, tile, partitionThreads / kernels.MergeRunsLanes}
}

// tilesOf is how many tiles the result has.
func (l launch) tilesOf(p plan.Problem) uint64 { return (p.Items + p.Other + l.tile - 1) / l.tile }

func supports(p plan.Problem, c driver.Caps) error {
	if launchOf(p, c).tilesOf(p) > mostTiles {
		return algo.Unsupported("merge of %d keys: more tiles than a grid has", p.Items+p.Other)
	}
	return nil
}

// Plan returns the steps. Scratch is 8 bytes for every tile, and 8 more. A tile has 2,304 keys or more, or, of
// OpenCL groups of fewer than 256 work-items, in proportion less.
func Plan(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder(name, p)
	l := launchOf(p, c)
	tiles := l.tilesOf(p)
	if tiles == 0 {
		return b.Plan(), nil
	}
	first, second, result := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}, plan.Ref{Region: op.OtherIO}
	splits := b.Scratch("splits", (tiles+1)*8)
	codec := plan.U32(uint32(p.Codec()))
	b.Launch("find the tiles' borders", l.entry("partition"), algo.Grid(c, tiles+1, l.borders, partitionBlocks), l.partition, 0,
		plan.At(first), plan.At(second), plan.At(splits), plan.U64(p.Items), plan.U64(p.Other), plan.U32(uint32(tiles)), codec)
	b.Launch("merge tiles", l.entry("tiles"), uint32(tiles), l.threads, 2*(p.Items+p.Other)*uint64(p.Type.Bytes()),
		plan.At(first), plan.At(second), plan.At(result), plan.At(splits), plan.U64(p.Items), plan.U64(p.Other), codec)
	b.Passes(1)
	return b.Plan(), nil
}
