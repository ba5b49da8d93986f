// Package merge plans the merge sorts. Both sort blocks of keys in shared
// memory and then merge neighbouring runs until one is left; both are stable in
// every mode. They differ in how a block sorts and in how a merge of two long
// runs is cut into parts that fit a block:
//
//	merge-path        registers, then merge paths in shared memory; a part is a
//	                  tile of the output, found by the merge path's diagonals
//	merge-separators  a radix sort of 32 keys per warp, then merges by rank; a
//	                  part lies between two separators, every t-th key of a run
//
// docs/algorithms/merge.md draws both.
package merge

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	pathName       = "merge-path"
	separatorsName = "merge-separators"
)

// Path is merge-path for CUDA and OpenCL. Params.Threads is the number of
// threads per block of both the block sort and the passes, Params.Blocks that of
// blocks of every launch.
var Path = algo.Algorithm{
	Name:     pathName,
	Study:    true,
	Doc:      "merge sort: tiles sorted in registers and shared memory, then merge-path passes; stable",
	Source:   "Green, Odeh and Birk 2014, arXiv 1406.2628; report 002's wish",
	Backends: []string{"cuda", "opencl"},
	Supports: func(p plan.Problem, c driver.Caps) error {
		_, err := pathGeometry(p, c, algo.Params{})
		return err
	},
	Plan: planPath,
}

// Separators is merge-separators for CUDA and OpenCL. Params.Threads is the
// number of threads per block of every launch; Params.Blocks is the number of
// blocks, of the two-dimensional launches the largest.
var Separators = algo.Algorithm{
	Name:     separatorsName,
	Study:    true,
	Doc:      "merge sort: warps sort 32 keys by ballots, blocks merge by rank, separators cut longer runs; stable",
	Source:   "report 002",
	Backends: []string{"cuda", "opencl"},
	Supports: func(p plan.Problem, c driver.Caps) error {
		_, err := separatorsGeometry(p, c, algo.Params{})
		return err
	},
	Plan: planSeparators,
}

// Flags of a launch.
const (
	flagPositions = layout.MergePositions // values are the items' positions
	flagDropKeys  = layout.MergeDropKeys  // keys are not written
)

// sorter appends the steps of one sort. The runs go to and fro between two
// copies of the keys and two of the values, so that the last step writes to the
// caller's.
type sorter struct {
	b      *plan.Builder
	p      plan.Problem
	g      geometry
	passes int

	keys, values [2]plan.Ref // [0] is where the last step writes
}

// newSorter reserves the copies. Argsort leaves the caller's keys alone, so that
// its keys need two copies of their own; its last step writes none.
func newSorter(b *plan.Builder, p plan.Problem, g geometry, passes int) *sorter {
	s := &sorter{b: b, p: p, g: g, passes: passes}
	io, values := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
	s.keys, s.values = [2]plan.Ref{io, io}, [2]plan.Ref{values, values}
	if passes > 0 {
		s.keys[1] = b.Scratch("keys", p.KeyBytes())
		if p.ValueBytes != 0 {
			s.values[1] = b.Scratch("values", p.ValuesBytes())
		}
		if p.Mode == plan.Argsort {
			s.keys[0] = s.keys[1]
			if passes > 1 {
				s.keys[0] = b.Scratch("more keys", p.KeyBytes())
			}
		}
	}
	b.Passes(passes + 1)
	return s
}

// out is the copy that step i writes: the block sort is step 0, the last pass
// step s.passes.
func (s *sorter) out(i int) int { return (s.passes - i) % 2 }

// codecOut and flags are the arguments of step i: the last one decodes.
func (s *sorter) codecOut(i int) plan.Arg {
	if i == s.passes {
		return plan.U32(uint32(s.p.Codec()))
	}
	return plan.U32(0)
}

func (s *sorter) flags(i int) plan.Arg {
	f := uint32(0)
	if s.p.Mode == plan.Argsort {
		if i == 0 {
			f |= flagPositions
		}
		if i == s.passes {
			f |= flagDropKeys
		}
	}
	return plan.U32(f)
}

// buffers are the first arguments of step i: the copies that it reads and
// writes. The block sort reads the caller's.
func (s *sorter) buffers(i int) []plan.Arg {
	keysIn, valuesIn := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
	if i > 0 {
		keysIn, valuesIn = s.keys[s.out(i-1)], s.values[s.out(i-1)]
	}
	to := s.out(i)
	args := []plan.Arg{plan.At(keysIn), plan.At(s.keys[to])}
	if s.p.ValueBytes != 0 {
		args = append(args, plan.At(valuesIn), plan.At(s.values[to]))
	}
	return args
}

// moved is what step i must read and write.
func (s *sorter) moved(i int) uint64 {
	n := 2 * (s.p.KeyBytes() + s.p.ValuesBytes())
	if s.p.Mode == plan.Argsort {
		if i == 0 {
			n -= s.p.ValuesBytes() // made, not read
		}
		if i == s.passes {
			n -= s.p.KeyBytes() // not written
		}
	}
	return n
}

// block appends the sort of blocks, step 0.
func (s *sorter) block(label, stage string, blocks uint32, threads uint32, shared uint64) {
	args := append(s.buffers(0), plan.U64(s.p.Items), plan.U32(uint32(s.p.Codec())), s.codecOut(0), s.flags(0))
	s.b.Launch(label, s.g.entry(stage, s.p.Type.Bits(), s.p.ValueBytes), blocks, threads, s.moved(0), args...).SharedBytes = uint32(shared)
}

// doublings is how often runs of the given length double until one holds n.
func doublings(n, run uint64) (d int) {
	for ; run < n; run *= 2 {
		d++
	}
	return d
}

// nothing reports a problem that needs no launch.
func nothing(p plan.Problem) bool { return p.Items == 0 || p.Items == 1 && p.Mode != plan.Argsort }
