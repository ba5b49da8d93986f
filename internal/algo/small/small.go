// Package small plans sorts of one launch, for inputs that fit the shared memory
// of one multiprocessor, of a cluster of them or of all. They need no or little
// scratch memory; what depends on the data is decided inside the launch. docs/rfcs/0005-small.md
// has the reasoning behind the design.
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
		Doc:      "one launch of one block: keys go by their highest varying bits into as many bins as there are keys; skewed input is merged (up to 512 keys) or its bins are split again; from 1,025 keys on, those of 8 and 16 bits alone are counted",
		Source:   "docs/rfcs/0005-small.md",
		Backends: []string{"cuda"},
		Supports: supportsBlock,
		Plan:     planBlock,
	}
}

// Cluster returns the catalogue entry of the sort in one thread-block cluster.
func Cluster() algo.Algorithm {
	return algo.Algorithm{
		Name:     "cluster-radix",
		Doc:      "one launch of one cluster: a split through distributed shared memory, then each block alone; skewed input is merged (one key a thread), or sorted by a model (64-bit keys), dictionary ranks or quantile splitters, else by 8-bit digits",
		Source:   "docs/rfcs/0005-small.md",
		Backends: []string{"cuda"},
		Supports: supportsCluster,
		Plan:     planCluster,
	}
}

func policy(p plan.Problem, c driver.Caps) (tune.SmallCuda, bool) {
	return tune.SmallCudaFor(tune.CUDATarget(c), p.Type.Bits(), p.ValueBytes)
}

// shared is the shared memory of a stage.
func shared(p plan.Problem, c driver.Caps, stage string) uint32 {
	return layout.Shared(tune.CUDATarget(c), module, stage, p.Type.Bits(), p.ValueBytes)
}

// check reports what the device lacks for a block of some threads and shared
// memory. name is the algorithm's.
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

// launch builds the plan of one step.
func launch(name, label, stage string, p plan.Problem, blocks, threads, shared uint32) plan.Plan {
	b := plan.NewBuilder(name, p)
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
	s := b.Launch(label, kernel.Entry(module, stage, p.Type.Bits(), p.ValueBytes), blocks, threads, moved,
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(values), plan.U32(uint32(p.Items)),
		plan.U32(uint32(p.Codec())), plan.U32(uint32(p.Mode)))
	s.SharedBytes = shared
	if blocks > 1 {
		s.Cluster = blocks
	}
	b.Passes(1)
	return b.Plan()
}
