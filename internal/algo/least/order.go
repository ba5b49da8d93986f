package least

import (
	"errors"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// ordering appends the steps of one plan of Least. The first error stays.
type ordering struct {
	b     *plan.Builder
	sorts []algo.Algorithm
	p     plan.Problem
	c     driver.Caps
	err   error
}

// sort appends a sort of keys and values, by the first algorithm that supports it.
func (o *ordering) sort(p plan.Problem, keys, values plan.Ref) {
	p.Order.EqualZeros = false // of keys alone, which come out the same
	inner, err := o.planOf(p)
	if err != nil {
		o.err = errors.Join(o.err, err)
		return
	}
	scratch := o.b.Scratch("sort", inner.ScratchBytes)
	o.b.Embed("sort", inner, plan.SortAt(keys, values, scratch))
}

// planOf is the plan of the first algorithm that supports p.
func (o *ordering) planOf(p plan.Problem) (plan.Plan, error) {
	why := []error{algo.Unsupported("least: no sort of %d keys of %v", p.Items, p.Type)}
	for _, a := range o.sorts {
		err := a.Check(p, o.c)
		if err == nil {
			return a.Plan(p, o.c, algo.Params{})
		}
		why = append(why, err)
	}
	return plan.Plan{}, errors.Join(why...)
}

// whole sorts all keys, of a copy where not all are wanted.
func (o *ordering) whole() {
	p, bytes := o.p, o.p.Extents()
	q := plan.Problem{Type: p.Type, Order: p.Order, Mode: p.Mode, ValueBytes: p.ValueBytes, Items: p.Items}
	in, result := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: op.OtherIO}
	if p.Mode == plan.Argsort {
		result = plan.Ref{Region: plan.ValuesIO}
		to := result
		if p.Other < p.Items {
			to = o.b.Scratch("positions", q.ValuesBytes())
		}
		o.sort(q, in, to)
		if to != result {
			o.b.Copy("copy positions", result, to, bytes[plan.ValuesIO].Bytes)
		}
		return
	}
	to := result
	if p.Other < p.Items {
		to = o.b.Scratch("keys", p.KeyBytes())
	}
	o.b.Copy("copy keys", to, in, p.KeyBytes())
	o.sort(q, to, plan.Ref{Region: plan.ValuesIO})
	if to != result {
		o.b.Copy("copy result", result, to, bytes[op.OtherIO].Bytes)
	}
}

// search appends the search for the last key that is wanted, which leaves all of them in out.
func (o *ordering) search(out plan.Ref, words bool) *search {
	s := &search{b: o.b, p: o.p, c: o.c, rank: o.p.Other - 1, out: out, words: words}
	s.run()
	return s
}

// keys finds the first keys and sorts them where they are.
func (o *ordering) keys() {
	result := plan.Ref{Region: op.OtherIO}
	o.search(result, false)
	o.sort(plan.Problem{Type: o.p.Type, Order: o.p.Order, Items: o.p.Other}, result, plan.Ref{Region: plan.ValuesIO})
}

// words finds the positions in words of 64 bits, the encoded keys above them, which sort as one.
func (o *ordering) words() {
	words, result := o.b.Scratch("keys and positions", 8*o.p.Other), plan.Ref{Region: plan.ValuesIO}
	s := o.search(words, true)
	o.sort(plan.Problem{Type: key.U64, Items: o.p.Other}, words, result)
	id := kernel.Plain(module, map[int]string{4: "positions_32", 8: "positions_64"}[o.p.ValueBytes])
	s.launch("positions", s.stage(id), o.p.Other, o.p.Other*uint64(8+o.p.ValueBytes),
		plan.At(words), plan.At(result), plan.U64(o.p.Other))
}

// positions finds the positions, sorts them, and then the keys that lie there with them:
// that is stable, so that of equal keys the first come first.
func (o *ordering) positions() {
	result, wide := plan.Ref{Region: plan.ValuesIO}, o.p.ValueBytes
	s := o.search(result, false)
	index := map[int]key.Type{4: key.U32, 8: key.U64}[wide]
	o.sort(plan.Problem{Type: index, Items: o.p.Other}, result, plan.Ref{})
	keys, bytes := o.b.Scratch("keys", o.p.Other*uint64(o.p.Type.Bytes())), o.p.Other*uint64(wide+2*o.p.Type.Bytes())
	s.launch("fetch keys", s.stage(kernel.Entry(module, "fetch", o.p.Type.Bits(), wide)), o.p.Other, bytes,
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(result), plan.At(keys), plan.U64(o.p.Other))
	q := plan.Problem{Type: o.p.Type, Order: o.p.Order, Mode: plan.Pairs, ValueBytes: wide, Items: o.p.Other}
	o.sort(q, keys, result)
}
