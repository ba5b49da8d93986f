// Package groups plans op.Groups: the different values of sorted keys, and where each of
// their groups begins. A group is a run of neighbours with equal bits, so that no order is
// needed. CUDA takes one pass, with decoupled look-back or, of few keys, a barrier of the
// grid, OpenCL two launches: each group of work-items counts the heads of its part of the
// keys; then each sums the counts before its own and writes its part.
package groups

import (
	"math"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// name is the algorithm's and the module's.
const name = "groups"

// noRoom is the message of code 1.
const noRoom = "there is room for fewer groups than the %d that are there: make the buffers longer"

// Algorithm returns groups for CUDA and OpenCL.
func Algorithm() algo.Algorithm {
	return algo.Algorithm{
		Name:     name,
		Doc:      "groups of equal neighbours: heads compacted in one pass by decoupled look-back, or in two launches",
		Source:   "Merrill and Garland 2016, NVR-2016-002",
		Backends: []string{"cuda", "opencl"},
		Kind:     op.Groups,
		Supports: supports,
		Plan:     Plan,
	}
}

func supports(p plan.Problem, c driver.Caps) error {
	if p.ValueBytes == 4 && p.Items > math.MaxUint32 {
		return algo.Unsupported("groups: %d keys need starts of 8 bytes", p.Items)
	}
	if c.Backend == "cuda" {
		return cudaSupports(p, c)
	}
	return nil
}

// Plan returns the steps. Scratch is the status record and, on CUDA, at most 8 bytes for every 16 KB of
// keys; on OpenCL 8 bytes for each group of work-items. Of the launch parameters it takes none.
func Plan(p plan.Problem, c driver.Caps, _ algo.Params) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder(name, p)
	switch {
	case p.Items == 0:
		status := b.Scratch("status", plan.StatusBytes)
		b.Memset("no groups", status, 0, plan.StatusBytes)
		if p.Mode != plan.Keys {
			b.Memset("end of no groups", plan.Ref{Region: op.ValuesIO}, 0, uint64(p.ValueBytes))
		}
		b.Refuses(status, noRoom)
	case c.Backend == "cuda":
		onePass(b, p, c)
	default:
		reduceThenScan(b, p, c)
	}
	return b.Plan(), nil
}

// outputs are the places of values and starts. One that p does not have is any other
// place: the kernels leave it alone.
func outputs(p plan.Problem, any plan.Ref) (values, starts plan.Ref) {
	values, starts = any, any
	if e := p.Extents(); e[op.OtherIO].Bytes != 0 {
		values = plan.Ref{Region: op.OtherIO}
	}
	if p.Mode != plan.Keys {
		starts = plan.Ref{Region: op.ValuesIO}
	}
	return values, starts
}
