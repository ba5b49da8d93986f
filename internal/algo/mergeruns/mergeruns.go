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
		Name: name, Kind: op.Merge, Backends: []string{"cuda"},
		Doc:      "merge path: the borders of tiles by bisection, then tiles through shared memory",
		Source:   "Green, Odeh and Birk 2014, arXiv 1406.2628",
		Supports: supports, Plan: Plan,
	}
}

// tilesOf is how many tiles the result has.
func tilesOf(p plan.Problem) uint64 {
	tile := uint64(kernels.MergeRunsThreads * kernels.MergeRunsItems)
	if p.Type.Bytes() == 4 {
		tile = kernels.MergeRunsThreads * kernels.MergeRunsItems32
	}
	return (p.Items + p.Other + tile - 1) / tile
}

func supports(p plan.Problem, _ driver.Caps) error {
	if tilesOf(p) > mostTiles {
		return algo.Unsupported("merge of %d keys: more tiles than a grid has", p.Items+p.Other)
	}
	return nil
}

// Plan returns the steps. Scratch is 8 bytes a tile of 6,912 keys of 4 bytes, or of 4,352 others.
func Plan(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder(name, p)
	tiles := tilesOf(p)
	if tiles == 0 {
		return b.Plan(), nil
	}
	first, second, result := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}, plan.Ref{Region: op.OtherIO}
	splits := b.Scratch("splits", (tiles+1)*8)
	codec, each := plan.U32(uint32(p.Codec())), uint64(partitionThreads/kernels.MergeRunsLanes)
	b.Launch("find the tiles' borders", kernel.Entry(module, "partition", p.Type.Bits(), 0),
		algo.Grid(c, tiles+1, each, partitionBlocks), partitionThreads, 0,
		plan.At(first), plan.At(second), plan.At(splits), plan.U64(p.Items), plan.U64(p.Other), plan.U32(uint32(tiles)), codec)
	b.Launch("merge tiles", kernel.Entry(module, "tiles", p.Type.Bits(), 0), uint32(tiles), kernels.MergeRunsThreads,
		2*(p.Items+p.Other)*uint64(p.Type.Bytes()),
		plan.At(first), plan.At(second), plan.At(result), plan.At(splits), plan.U64(p.Items), plan.U64(p.Other), codec)
	b.Passes(1)
	return b.Plan(), nil
}
