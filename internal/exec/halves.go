package exec

import (
	"context"
	"fmt"
	"time"

	"github.com/gpusort/gpusort/internal/algo"
	mergesort "github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// halves is a sort of host memory that works while the link does. A sort of all
// keys begins when the last has come and must end before the first can go; here
// the head, most of the keys, is sorted while the tail comes, then the tail, and
// the two are merged in parts, each of which goes while the next is merged. The
// link stands still only for the tail's sort and the merge of the first part:
//
//	link     head in ──────────────── tail in ──        part 1 out ── part 2 out ── …
//	device                            head's sort tail's merge 1 2 3 …
//
// The merge costs the device a read and a write of all keys that a whole sort does
// not make, which is time that nobody waits for.
type halves struct {
	head, tail *prepared
	merger     *prepared // the steps of join
	join       mergesort.Join
}

// tailShare is the part of the keys that are sorted last: an eighth takes an H200's
// link as long as its device takes for the other seven, for keys of 32 and of 64
// bits, so that a larger tail would only be sorted later.
const tailShare = 8

// halvesOf returns how to sort p, whose plan is whole, while the link works; nil if
// that does not pay or is not possible.
func (s *Session) halvesOf(a algo.Algorithm, p plan.Problem, whole *prepared) *halves {
	if p.Codec() != 0 || !s.mayHalve(p, whole) {
		return nil
	}
	k := planKey{a.Name, p}
	s.mu.Lock()
	h, known := s.halved[k]
	s.mu.Unlock()
	if known {
		return h
	}
	h, err := s.planHalves(a, p)
	if err == nil && !s.x.holds(h, whole) {
		err = fmt.Errorf("%w: %d bytes of scratch for the merge", driver.ErrOutOfMemory, h.scratch())
	}
	if err != nil {
		s.x.Log.Debug("transfers wait for the sort", "device", s.id, "items", p.Items, "error", err)
		h = nil
	}
	s.mu.Lock()
	s.halved[k] = h
	s.mu.Unlock()
	return h
}

// mayHalve reports whether the two sorts and the merge do what one sort does: a
// named algorithm and chosen parameters are what the caller wants to see at work,
// and only long transfers hide anything.
func (s *Session) mayHalve(p plan.Problem, whole *prepared) bool {
	x := s.x
	return x.Sizes.HalveFrom != 0 && p.KeyBytes() >= x.Sizes.HalveFrom && p.Kind == op.Sort && p.Mode == plan.Keys &&
		!x.Whole && x.Params == (algo.Params{}) && !x.Poison &&
		!s.caps.CPU && !s.caps.HostUnified && whole.Status == nil && !whole.HasHostSteps()
}

// planHalves plans the three and loads their code.
func (s *Session) planHalves(a algo.Algorithm, p plan.Problem) (h *halves, err error) {
	head, tail := p, p
	tail.Items = p.Items / tailShare
	head.Items = (p.Items - tail.Items) / s.x.Sizes.HeadUnit * s.x.Sizes.HeadUnit
	tail.Items = p.Items - head.Items
	h = &halves{}
	if h.head, err = s.prepare(a, head); err != nil {
		return nil, err
	}
	if h.tail, err = s.prepare(a, tail); err != nil {
		return nil, err
	}
	if h.join, err = mergesort.PlanJoin(p, head.Items, s.x.Sizes.DirectUnit, s.caps); err != nil {
		return nil, err
	}
	h.merger, err = s.prepare(algo.Algorithm{
		Name: mergesort.JoinName,
		Plan: func(plan.Problem, driver.Caps, algo.Params) (plan.Plan, error) { return h.join.Plan, nil },
	}, p)
	return h, err
}

// scratch is what the three need, one after the other.
func (h *halves) scratch() uint64 {
	return max(h.head.ScratchBytes, h.tail.ScratchBytes, h.merger.ScratchBytes)
}

// holds reports whether the memory for which the whole sort was found to fit, and
// the spare beside it, is enough.
func (x *Executor) holds(h *halves, whole *prepared) bool {
	need := h.join.Room + h.scratch()
	have, _ := whole.Bytes()
	limit := x.MemoryLimit
	return need <= have+spareBytes/2 && (limit == 0 || need <= limit)
}

// room gives the three their memory on the lane: the output of the merge lies where
// the sorts had their scratch.
func (h *halves) room(l *lane) (at Places, err error) {
	at[plan.KeysIO], err = l.grow(plan.KeysIO, h.join.Room)
	if err == nil {
		at[plan.Scratch], err = l.grow(plan.Scratch, h.scratch())
	}
	if err != nil {
		return Places{}, fmt.Errorf("%s: %d bytes for %d items: %w", l.s.id, h.join.Room+h.scratch(), h.join.Problem.Items, err)
	}
	return at, nil
}

// output is where the merged keys lie.
func (h *halves) output(at Places) transfer.Place { return at[plan.Scratch].Plus(h.join.Out.Off) }

// sort uploads the keys and sorts them. The merge is queued when it returns, not
// done; made says when each part of the output is, and is the caller's to close.
func (h *halves) sort(ctx context.Context, l *lane, at Places, keys transfer.Span) (took time.Duration, m *transfer.Made, err error) {
	up := func(keys transfer.Span) error { return l.link.Upload(ctx, []transfer.Span{keys}) }
	if took, err = l.sortHalves(ctx, up, h.head, h.tail, at, keys); err != nil {
		return 0, nil, err
	}
	l.s.x.enter("queue the merge")
	m, err = h.merge(ctx, l, at)
	return took, m, err
}

// sortHalves brings keys by up, after which the lane's work has them at a place, and sorts
// the head while the tail comes, which it sorts then.
func (l *lane) sortHalves(ctx context.Context, up func(transfer.Span) error, head, tail *prepared, at Places, keys transfer.Span) (time.Duration, error) {
	first, rest := keys.Cut(head.Problem.KeyBytes())
	if err := up(first); err != nil {
		return 0, err
	}
	if err := l.begin(ctx, head, at); err != nil {
		return 0, err
	}
	if err := up(rest); err != nil {
		return 0, err
	}
	l.s.x.enter("wait for the head's sort")
	took, err := l.end(head)
	if err != nil {
		return 0, err
	}
	l.s.x.enter("wait for the tail and its sort")
	at[plan.KeysIO] = at[plan.KeysIO].Plus(head.Problem.KeyBytes())
	more, err := l.run(ctx, tail, at)
	return took + more, err
}

// merge queues the merge, between the lane's two events.
func (h *halves) merge(ctx context.Context, l *lane, at Places) (*transfer.Made, error) {
	b := l.bound(h.merger, at)
	m := transfer.NewMade(h.output(at), h.join.PartBytes)
	err := l.mark(0)
	if err == nil {
		err = b.submitSteps(ctx, l.q, 0, h.join.Before)
	}
	for i := h.join.Before; err == nil && i < len(h.join.Steps); i++ {
		if err = b.submitSteps(ctx, l.q, i, i+1); err == nil {
			err = m.Record(l.q)
		}
	}
	if err == nil {
		err = l.mark(1)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}
