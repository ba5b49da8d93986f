package exec

import (
	"fmt"
	"math"
	"slices"

	mergesort "github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// division says which items each member of a group sorts: those from bounds[i] to before
// bounds[i+1], which are its part of the output, too.
type division struct {
	bounds []uint64
	// pieces, if it is not 1, is how many are sorted apart, because the members do not hold
	// all items together. bounds then says nothing.
	pieces int
	raised uint64 // what the memory limit was raised to for pieces; 0: it was kept
	// beside says that each member has memory for its part beside its share, so that it
	// writes the part while others still read the share.
	beside bool
	// mirrored says that members keep their shares' input, so that the host makes no safety
	// copies: see mirror.go.
	mirrored bool
}

// smaller takes less memory than d.
func (d division) smaller() (division, error) {
	switch {
	case d.mirrored:
		d.mirrored = false
		return d, nil
	case d.beside:
		d.beside = false
		return d, nil
	}
	if d.pieces = max(2*d.pieces, 2*(len(d.bounds)-1)); d.pieces > mostPieces {
		return d, fmt.Errorf("%w: %d pieces: free device memory, or sort on the CPU", driver.ErrOutOfMemory, d.pieces)
	}
	return d, nil
}

// Even are the bounds of n equal shares of the items, whose sizes differ by at most one.
func Even(items uint64, n int) []uint64 {
	b := make([]uint64, n+1)
	for i := range b {
		b[i] = items/uint64(n)*uint64(i) + min(uint64(i), items%uint64(n))
	}
	return b
}

// layout is what a member needs besides its share and a sort's scratch to fetch a part of
// so many items and merge it.
type layout struct {
	merges       bool   // runs are merged; else the part is sorted once more
	room         uint64 // items behind the part that a merge may write
	keys, values uint64 // of what is fetched, in bytes
	splits       uint64
}

const (
	// gapShare is the part of an output that may be filled between two runs of pairs,
	// so that the first is not the shorter one: see mergesort.PlanTwo.
	gapShare = 16
	// moreSplits is for merges of few items, whose tiles are smaller.
	moreSplits = 512
)

// Slack is how many bytes behind its items the memory of a part must have: see
// Group.Run.
const Slack = 256 << 10

// layout is what member i needs for its share p. It is found once, and kept: a sort asks for it a few times.
func (g *Group) layout(i int, p plan.Problem) layout {
	k := layoutKey{i, p}
	g.mu.Lock()
	y, ok := g.layouts[k]
	g.mu.Unlock()
	if ok {
		return y
	}
	y = layoutOf(p, g.list[i].caps)
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.layouts) >= keptPlans {
		clear(g.layouts)
	}
	g.layouts[k] = y
	return y
}

type layoutKey struct {
	member int
	share  plan.Problem
}

func layoutOf(p plan.Problem, caps driver.Caps) (y layout) {
	ties := p.Ties() && p.ValueBytes != 0 // keys of different bits may tie, whose order shows
	p = unsigned(p)
	room, err := mergesort.TwoRoom(p, caps)
	width := uint64(max(p.Type.Bytes(), p.ValueBytes))
	if pl, err2 := mergesort.PlanTwo(p, p.Items, 0, false, caps); err == nil && err2 == nil && !ties && room*width <= Slack {
		y.merges, y.splits = true, pl.ScratchBytes+moreSplits
	}
	n := p.Items
	if p.ValueBytes != 0 { // gaps are for pairs alone: see chunk
		n += n/gapShare + gapShare
		y.room = room
	}
	y.keys, y.values, y.splits = plan.Aligned(n*uint64(p.Type.Bytes())), plan.Aligned(n*uint64(p.ValueBytes)), plan.Aligned(y.splits)
	return y
}

// bytes is the memory for what is fetched and its merge.
func (y layout) bytes() uint64 { return y.keys + y.values + y.splits }

// sizes are the bytes of n items' keys and values with the room behind them.
func (y layout) sizes(p plan.Problem) (keys, values uint64) {
	if p.ValueBytes != 0 {
		values = (p.Items + y.room) * uint64(p.ValueBytes)
	}
	return (p.Items + y.room) * uint64(p.Type.Bytes()), values
}

// scratch is what member i needs besides the memory of its share p.
func (g *Group) scratch(i int, p plan.Problem) (uint64, error) {
	s := g.list[i]
	a, err := s.choose(p)
	if err != nil {
		return 0, err
	}
	pl, err := s.Plan(a, p)
	if err != nil {
		return 0, err
	}
	need := max(g.x.scratchBytes(&prepared{Plan: pl}), g.layout(i, p).bytes())
	if most := s.caps.MaxAllocBytes; most != 0 && max(need, p.KeyBytes(), p.ValuesBytes())+Slack > most {
		return math.MaxUint64, nil
	}
	return need, nil
}

// need is the memory that member i takes for its share p.
func (g *Group) need(i int, p plan.Problem, beside bool) (uint64, error) {
	n, err := g.scratch(i, p)
	if err != nil || n == math.MaxUint64 {
		return n, err
	}
	keys, values := g.layout(i, p).sizes(p)
	if n += keys + values; beside {
		n += keys + values
	}
	return n, nil
}

// budgets is what a sort may take of each member, of so much free memory.
func (g *Group) budgets(free []uint64) []uint64 {
	b := slices.Clone(free)
	if limit := g.x.MemoryLimit; limit != 0 {
		for i := range b {
			b[i] = min(b[i], limit)
		}
	}
	return b
}

// Shares says in how many pieces the group sorts p in host memory where each member has so many
// bytes free, and how many items each sorts.
func (g *Group) Shares(p plan.Problem, free []uint64) (pieces int, shares []uint64, err error) {
	if !g.Worth(p) {
		shares = make([]uint64, len(g.list))
		shares[0] = p.Items
		return 1, shares, nil
	}
	d, err := g.divideBy(p, free)
	for i := range g.list {
		shares = append(shares, d.bounds[i+1]-d.bounds[i])
	}
	return d.pieces, shares, err
}

// divide is divideBy with what is free. Shares are mirrored where there is memory for that,
// too.
func (g *Group) divide(p plan.Problem) (division, error) {
	free := make([]uint64, len(g.list))
	for i, m := range g.list {
		var err error
		if free[i], err = m.free(); err != nil {
			return division{}, err
		}
	}
	d, err := g.divideBy(p, free)
	if err != nil || !d.beside || !g.mirrors(p) {
		return d, err
	}
	more := d
	more.mirrored = true
	if ok, err := g.hold(paired(p), more, g.budgets(free)); ok || err != nil {
		return more, err
	}
	return d, nil
}

// divideBy gives each member its share of a sort of host memory: one by its pace, or equal
// ones, if all hold them, with room beside if possible. Members that hold less get less. What
// all together do not hold is sorted in pieces, as many by each as it is quick.
func (g *Group) divideBy(p plan.Problem, free []uint64) (division, error) {
	spec, n, budgets := paired(p), len(g.list), g.budgets(free)
	shares := [][]uint64{Even(p.Items, n)}
	if b := g.paces.bounds(p.Items); b != nil {
		shares = [][]uint64{b, shares[0]}
	}
	d := division{pieces: 1}
	for _, d.beside = range []bool{true, false} {
		for _, d.bounds = range shares {
			if ok, err := g.hold(spec, d, budgets); ok || err != nil {
				return d, err
			}
		}
	}
	most, all := make([]uint64, n), uint64(0)
	for i := range most {
		var err error
		if most[i], err = g.most(i, spec, budgets[i]); err != nil {
			return d, err
		}
		all += most[i]
	}
	if p.Items <= all {
		d.bounds = fill(most, p.Items)
		return d, nil
	}
	for i, m := range g.list {
		a, err := m.choose(paired(p))
		if err != nil {
			return d, err
		}
		pieces, raised, err := m.Split(a, p, free[i])
		if err != nil {
			return d, err
		}
		d.pieces, d.raised = max(d.pieces, pieces, 2), max(d.raised, raised)
	}
	d.pieces = evenly(d.pieces, n, p.Items)
	return d, nil
}

// hold reports whether the members hold what d gives them.
func (g *Group) hold(spec plan.Problem, d division, budgets []uint64) (bool, error) {
	for i, b := range budgets {
		p := spec
		p.Items = d.bounds[i+1] - d.bounds[i]
		need, err := g.need(i, p, d.beside)
		if d.mirrored && need != math.MaxUint64 {
			need += mirrorBytes(spec, d, i)
		}
		if need > b || err != nil {
			return false, err
		}
	}
	return true, nil
}

// most is the most items that member i holds in so many bytes.
func (g *Group) most(i int, p plan.Problem, budget uint64) (uint64, error) {
	lo, hi := uint64(0), p.Items
	for lo < hi {
		p.Items = hi - (hi-lo)/2
		need, err := g.need(i, p, false)
		switch {
		case err != nil:
			return 0, err
		case need <= budget:
			lo = p.Items
		default:
			hi = p.Items - 1
		}
	}
	return lo, nil
}

// fill gives each member as many of the items as the others, but no more than it holds:
// all together hold them.
func fill(most []uint64, items uint64) []uint64 {
	share := make([]uint64, len(most))
	for left := items; left > 0; {
		open := uint64(0)
		for i := range share {
			if share[i] < most[i] {
				open++
			}
		}
		each := max(1, left/open)
		for i := range share {
			more := min(each, most[i]-share[i], left)
			share[i], left = share[i]+more, left-more
		}
	}
	b := make([]uint64, len(most)+1)
	for i, n := range share {
		b[i+1] = b[i] + n
	}
	return b
}
