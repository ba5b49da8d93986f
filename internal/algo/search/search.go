// Package search plans the search for many keys among sorted ones: for each query, how
// many of them belong before it.
package search

import (
	"math"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	kernels "github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

const name = "search"

// unitBlocks are the blocks of a multiprocessor that make samples, or bisect.
const unitBlocks = 8

// fewQueries: where there is one query for so many sorted keys, or fewer, samples are not
// made. Making them reads all keys, some 3 ps a key of 8 bytes on an H100; a query gains
// some 60 ps (both by estimate).
const fewQueries = 16

// Algorithm returns search.
func Algorithm() algo.Algorithm {
	return algo.Algorithm{
		Name: name, Kind: op.Search, Backends: []string{"cuda", "opencl"},
		Doc:      "lower bounds of queries in a tree of samples above the sorted keys, whose top lies in shared memory",
		Source:   "docs/rfcs/0010-operations.md; after Rao and Ross 1999, Cache conscious indexing (CSS-trees), VLDB, p. 78",
		Supports: supports, Plan: Plan,
	}
}

func supports(p plan.Problem, _ driver.Caps) error {
	if p.Other > math.MaxUint64/16 {
		return algo.Unsupported("search among %d keys", p.Other)
	}
	return nil
}

// launch is how the device's kernels are launched.
type launch struct {
	entry         func(stage string, values int) kernel.ID
	threads, tile uint32 // of a block, and the queries that it takes at once
	blocks        uint64 // of a multiprocessor that search
}

func launchOf(p plan.Problem, c driver.Caps) launch {
	entry := func(stage string, values int) kernel.ID { return kernel.Entry(name, stage, p.Type.Bits(), values) }
	if c.Backend == "opencl" {
		return openCL(p, c, entry)
	}
	return launch{entry, kernels.SearchThreads, kernels.SearchTile, kernels.SearchBlocks}
}

// treeOf is how many keys lie below a sample, and the most samples of the top.
func treeOf(p plan.Problem, c driver.Caps) (fan, top uint64) {
	fan, top = kernels.SearchFan, kernels.SearchTop
	if p.Type.Bytes() == 8 {
		fan, top = kernels.SearchFan64, kernels.SearchTop64
	}
	if c.Backend == "opencl" {
		top = localTop(c, top, uint64(p.Type.Bytes()))
	}
	return fan, top
}

// tree says how many levels of samples there are, and how many samples they have with what
// aligns them.
func tree(p plan.Problem, c driver.Caps) (levels uint32, samples uint64) {
	fan, top := treeOf(p, c)
	for n := p.Other; n > top; levels++ {
		n = (n + fan - 1) / fan
		samples = (samples+kernels.SearchAlign-1)/kernels.SearchAlign*kernels.SearchAlign + n
	}
	return levels, samples + kernels.SearchAlign // the last group is read whole
}

// Plan returns the steps. Scratch is the samples: a third of the keys of 8 bytes, a seventh
// of others.
func Plan(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder(name, p)
	if p.Items == 0 {
		return b.Plan(), nil
	}
	queries, positions, sorted := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}, plan.Ref{Region: op.OtherIO}
	codec, sortedBytes := uint32(p.Codec()), p.Other*uint64(p.Type.Bytes())
	l := launchOf(p, c)
	moved := p.KeyBytes() + p.ValuesBytes()
	levels, samples := tree(p, c)
	if levels > 0 && p.Items < p.Other/fewQueries {
		b.Launch("bisect", l.entry("bisect", p.ValueBytes), algo.Grid(c, p.Items, uint64(l.threads), unitBlocks), l.threads, moved,
			plan.At(sorted), plan.At(queries), plan.At(positions), plan.U64(p.Other), plan.U64(p.Items), plan.U32(codec))
		return b.Plan(), nil
	}
	top := sorted
	if levels > 0 {
		top = b.Scratch("samples", samples*uint64(p.Type.Bytes()))
		b.Launch("make samples", l.entry("tree", 0), algo.Grid(c, samples, uint64(l.threads), unitBlocks), l.threads, sortedBytes,
			plan.At(sorted), plan.At(top), plan.U64(p.Other), plan.U32(levels), plan.U32(codec))
	}
	grid := algo.Grid(c, p.Items, uint64(l.tile), l.blocks)
	b.Launch("search", l.entry("find", p.ValueBytes), grid, l.threads, moved+sortedBytes,
		plan.At(sorted), plan.At(top), plan.At(queries), plan.At(positions),
		plan.U64(p.Other), plan.U64(p.Items), plan.U32(levels), plan.U32(codec))
	b.Passes(1)
	return b.Plan(), nil
}
