// Package equalzeros has every device algorithm sort by orders in which ±0 tie, and all
// NaNs (key.Order.EqualZeros). No algorithm knows such orders: each sorts bit patterns,
// of which no two are equal keys. What is sorted here is a copy of the keys with one
// pattern for both zeros and one for all NaNs, by the algorithm's argsort, which is
// stable; under plan.Pairs keys and values are then gathered by its indices, so that
// the keys come out with the bits that they had.
package equalzeros

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	kernels "github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// module has the kernels.
const module = "equalzeros"

// The launch: threads of a block, elements of each in a tile, blocks of a multiprocessor.
const (
	threads = kernels.EqualZerosThreads
	each    = kernels.EqualZerosTile / threads
	blocks  = kernels.EqualZerosBlocks
)

// Wrap returns a, which then sorts also by orders with EqualZeros. Every other problem
// it plans as before. What sorts neither keys nor segments stays as it is.
func Wrap(a algo.Algorithm) algo.Algorithm {
	if a.Kind != op.Sort && a.Kind != op.Segments {
		return a
	}
	w := a
	w.Ties = true
	w.Supports = func(p plan.Problem, c driver.Caps) error { return a.Supports(strict(p), c) }
	if a.SupportsWith != nil {
		w.SupportsWith = func(p plan.Problem, c driver.Caps, l algo.Params) error { return a.SupportsWith(strict(p), c, l) }
	}
	w.Plan = func(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
		inner, err := a.Plan(strict(p), c, l)
		if err != nil || !p.Ties() || p.Items < 2 {
			inner.Problem = p
			return inner, err
		}
		return around(inner, p, c), nil
	}
	return w
}

// strict is the problem that an algorithm solves in place of p: without ties, and an
// argsort where there were some.
func strict(p plan.Problem) plan.Problem {
	if p.Ties() && p.Mode == plan.Pairs && p.Items > 1 {
		p.Mode, p.ValueBytes = plan.Argsort, indexBytes(p)
	}
	p.Order.EqualZeros = false
	return p
}

// indexBytes is the width of an index into p's pairs.
func indexBytes(p plan.Problem) int {
	if p.Items > 1<<32 {
		return 8
	}
	return 4
}

// around is the plan of p: the argsort inner of canonical keys with what comes before
// and after it.
func around(inner plan.Plan, p plan.Problem, c driver.Caps) plan.Plan {
	b := plan.NewBuilder(inner.Algorithm, p)
	keys, values := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
	indices, room, bits := values, inner.ScratchBytes, p.Type.Bits()
	copied := b.Scratch("canonical keys", p.KeyBytes())
	if p.Mode == plan.Pairs {
		indices = b.Scratch("indices", inner.Problem.ValuesBytes())
		// Values are gathered where the argsort had its scratch memory.
		room = max(room, p.ValuesBytes())
	}
	scratch := b.Scratch("argsort", room)
	e := elements{b, c, p.Items}
	e.launch("canonicalise keys", kernel.Entry(module, "canonicalise", bits, 0), 2*p.KeyBytes(), keys, copied)
	b.Embed("argsort", inner, plan.SortAt(copied, indices, scratch))
	if p.Mode == plan.Pairs {
		wide, read := inner.Problem.ValueBytes, inner.Problem.ValuesBytes()
		e.launch("gather keys", kernel.Entry(module, "gather", bits, wide), 2*p.KeyBytes()+read, keys, indices, copied)
		e.launch("gather values", kernel.Entry(module, "gather", 8*p.ValueBytes, wide), 2*p.ValuesBytes()+read, values, indices, scratch)
		b.Copy("copy keys", keys, copied, p.KeyBytes())
		b.Copy("copy values", values, scratch, p.ValuesBytes())
	}
	b.Passes(inner.Passes)
	pl := b.Plan()
	for i, s := range inner.Steps {
		pl.Steps[1+i].Overlap = s.Overlap // as alone
	}
	return pl
}

// elements appends launches over all items.
type elements struct {
	b     *plan.Builder
	c     driver.Caps
	items uint64
}

// launch appends a launch of k with places and the number of items as its arguments.
func (e elements) launch(label string, k kernel.ID, minBytes uint64, at ...plan.Ref) {
	width := uint32(threads)
	if e.c.Backend != "cuda" { // whose tiles are of that many threads
		width = algo.GroupThreads(e.c, width)
	}
	args := make([]plan.Arg, 0, len(at)+1)
	for _, r := range at {
		args = append(args, plan.At(r))
	}
	e.b.Launch(label, k, algo.Grid(e.c, e.items, threads*each, blocks), width, minBytes, append(args, plan.U64(e.items))...)
}
