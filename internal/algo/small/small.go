// Package small plans sorts of one launch, for inputs that fit one multiprocessor, or all together: items are in
// registers and shared memory from the first load on. A sort needs little scratch memory or none. What depends on the
// data is decided inside the launch. docs/rfcs/0005-small.md has the reasoning behind the design.
package small

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const module = "small"

// Block returns the catalogue entry of the sort in one block.
func Block() algo.Algorithm {
	return algo.Algorithm{
		Name:     "block-radix",
		Doc:      "one launch of one block: keys go by their distance to the least one into as many bins as a full block has keys; unevenly spread ones pass by the 8-bit digits that vary",
		Source:   "docs/rfcs/0005-small.md",
		Backends: []string{"cuda"},
		Supports: supportsBlock,
		Plan:     planBlock,
	}
}

func policy(p plan.Problem, c driver.Caps) (tune.SmallCuda, bool) {
	return tune.SmallCudaFor(tune.CUDATarget(c), p.Type.Bits(), p.ValueBytes)
}

// shared is the shared memory of a stage.
func shared(p plan.Problem, c driver.Caps, stage string) uint32 {
	return layout.Shared(tune.CUDATarget(c), module, stage, p.Type.Bits(), p.ValueBytes)
}

// check reports what the device lacks for a block of some threads and dynamic shared memory. name is the algorithm's.
// Kernels in a grid have up to 2,272 bytes of static shared memory besides, which package layout does not know. They
// are machine code for compute capability 9.0 and take at most 190,080 dynamic bytes, such devices have 232,448 a
// block. Kernels of one block have none.
func check(name string, c driver.Caps, threads, shared uint32) error {
	switch limit := max(c.SharedPerBlock, c.SharedPerBlockMax); {
	case c.Arch < 61:
		return algo.Unsupported("%s needs compute capability 6.1, %s has %d.%d", name, c.Name, c.Arch/10, c.Arch%10)
	case !c.SubGroups || !c.Atomics64:
		return algo.Unsupported("%s needs warp votes and 64-bit atomics, which %s lacks", name, c.Name)
	case int(threads) > c.MaxThreadsPerBlock:
		return algo.Unsupported("%s needs %d threads per block, %s has %d", name, threads, c.Name, c.MaxThreadsPerBlock)
	case uint64(shared) > limit:
		return algo.Unsupported("%s needs %d bytes of shared memory per block, %s has %d", name, shared, c.Name, limit)
	}
	return nil
}

// fixed refuses launch parameters: the kernels are compiled for the policy's.
func fixed(name string, l algo.Params) error {
	if l.Threads != 0 || l.Blocks != 0 {
		return algo.Unsupported("%s has one geometry for each size; threads and blocks cannot be set", name)
	}
	return nil
}

// launch builds the plan of one step of one block.
func launch(g geometry, p plan.Problem, shared uint32) plan.Plan {
	b := plan.NewBuilder(blockName, p)
	if p.Items == 0 || p.Items == 1 && p.Mode != plan.Argsort {
		return b.Plan()
	}
	// Keys alone have no values: their kernels ignore the argument.
	values := plan.Ref{Region: plan.ValuesIO}
	if p.ValueBytes == 0 {
		values = plan.Ref{Region: plan.KeysIO}
	}
	moved := p.KeyBytes() + p.ValuesBytes()
	if p.Mode != plan.Argsort {
		moved *= 2
	}
	s := b.Launch("sort in one block", kernel.Entry(module, g.stage, p.Type.Bits(), p.ValueBytes), 1, g.threads, moved,
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(values), plan.U32(uint32(p.Items)),
		plan.U32(uint32(p.Codec())), plan.U32(uint32(p.Mode)))
	s.SharedBytes = shared
	b.Passes(1)
	return b.Plan()
}
