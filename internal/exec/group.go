package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Group is several devices of one backend that sort as one. Each sorts its share of the
// items. Exact cuts of the sorted shares say which items belong to which part of the
// output (cut.Runs). Each device fetches its part from all others and merges it. Part i
// is as long as share i, and device i has it at the end, so that each device reads and
// writes the same places of the caller's memory, through a link of its own.
//
// Keys alone on CUDA devices may be exchanged before they are sorted: ranges.go.
//
// Items with equal keys are cut by the places of their shares. So parts are exactly as
// long as they should be, whatever the keys are, and the sort is stable.
type Group struct {
	x     *Executor
	list  []*Session
	reach sync.Once
	// direct says that every device can use every other one's memory; Reach finds out.
	direct bool
	paces  paces

	mu      sync.Mutex
	layouts map[layoutKey]layout
}

// Group makes one of devices of one backend. They stay their owner's to close.
func (x *Executor) Group(list []*Session) *Group {
	return &Group{x: x, list: list, layouts: map[layoutKey]layout{}}
}

// ID is the devices' IDs with commas.
func (g *Group) ID() string {
	ids := make([]string, len(g.list))
	for i, s := range g.list {
		ids[i] = s.id
	}
	return strings.Join(ids, ",")
}

// Reach has the devices use each other's memory where they can; copies go through the
// host otherwise. What fails here shows in a copy.
func (g *Group) Reach() {
	g.reach.Do(func() {
		g.direct = true
		for _, a := range g.list {
			for _, b := range g.list {
				p, ok := a.dev.(driver.Peer)
				if a == b {
					continue
				}
				if !ok {
					g.direct = false
					continue
				}
				can, err := p.CanAccess(b.dev)
				if err == nil && can {
					err = p.EnableAccess(b.dev)
				}
				g.direct = g.direct && can && err == nil
				g.x.Log.Debug("devices that sort together", "device", a.id, "peer", b.id, "direct", can && err == nil, "error", err)
			}
		}
	})
}

// paired is what devices carry out for p whose output is merged: an argsort sorts pairs
// of keys and indices, because its keys are needed to merge.
func paired(p plan.Problem) plan.Problem {
	if p.Mode == plan.Argsort {
		p.Mode = plan.Pairs
	}
	return p
}

// groupSort is one sort of a group. What is of a member is indexed by its number.
type groupSort struct {
	g         *Group
	spec      plan.Problem // of all items: keys or pairs
	division               // who has how many
	lanes     []*lane
	at        []Places        // the memory of each: keys and values, the caller's or its own, and scratch
	out       []Places        // where each has its part at the end
	ends      [2][]uint64     // the first and the last key of each run that has any, encoded
	runs      []sortedRun     // two of each member, in order of place, of which the second may be empty
	cuts      [][]uint64      // by border between parts: where each run is cut
	stretches []key.Stretch   // of the keys
	borders   [][]uint64      // by stretch: where it begins in each run; nil if there is one
	took      []time.Duration // by member: its own sort
	argsort   bool            // the keys are not wanted
	ctx       *groupContext
}

// groupContext ends for all members when one of them fails.
type groupContext struct {
	context.Context
	failed atomic.Bool
}

func (c *groupContext) Err() error {
	if c.failed.Load() {
		return context.Canceled
	}
	return c.Context.Err()
}

// begin takes a lane of each member, in the members' order: a sort that waits for a lane
// holds only lanes of members before it, so that no two wait for each other.
func (g *Group) begin(ctx context.Context, p plan.Problem, d division) (*groupSort, error) {
	g.Reach()
	if p.ValueBytes == 0 {
		p.Order.EqualZeros = false // keys alone have one result
	}
	n := len(g.list)
	s := &groupSort{g: g, ctx: &groupContext{Context: ctx}, spec: p, division: d, at: make([]Places, n), out: make([]Places, n), runs: make([]sortedRun, 2*n), took: make([]time.Duration, n)}
	s.stretches = key.Stretches(p.Codec()&^key.CodecEqualZeros, p.Type.Bytes())
	for _, m := range g.list {
		l, err := m.acquire()
		if err != nil {
			return nil, errors.Join(err, s.end(false))
		}
		l.link.Apart, l.link.Stagers, l.link.Cached = true, g.x.Sizes.SharedStagers, g.x.Sizes.SharedCached
		for len(l.probes) < n {
			l.probes = append(l.probes, probe{})
		}
		s.lanes = append(s.lanes, l)
	}
	return s, nil
}

// end gives the lanes back. After a failure all work is waited for first, since members
// read each other's memory.
func (s *groupSort) end(failed bool) error {
	if failed {
		for _, l := range s.lanes {
			_ = l.link.Drain() // what failed has been reported
		}
	}
	var errs []error
	for i, l := range s.lanes {
		l.link.Apart, l.link.Stagers, l.link.Cached = false, 0, false
		errs = append(errs, s.g.list[i].release(l, failed))
	}
	return errors.Join(errs...)
}

// each calls f for all members at once and waits for all. The first failure cancels what
// the others do, and is returned.
func (s *groupSort) each(f func(i int) error) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var first error
	do := func(i int) {
		if err := f(i); err != nil {
			mu.Lock()
			defer mu.Unlock()
			if first == nil || errors.Is(first, context.Canceled) {
				first = err
			}
			s.ctx.failed.Store(true)
		}
	}
	for i := range s.lanes[1:] {
		wg.Go(func() { do(1 + i) })
	}
	do(0) // by a goroutine that runs already
	wg.Wait()
	return first
}

// inTurn is each by one goroutine, for what takes less time than it takes others to wake.
func (s *groupSort) inTurn(f func(i int) error) error {
	for i := range s.lanes {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// named is an error with the name of member i's device; nil stays nil.
func (s *groupSort) named(i int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.g.list[i].id, err)
}

// share is member i's part of the operation.
func (s *groupSort) share(i int) plan.Problem {
	p := s.spec
	p.Items = s.bounds[i+1] - s.bounds[i]
	return p
}

// Sort sorts host memory, as Session.Sort does. Short slices are the first device's.
func (g *Group) Sort(ctx context.Context, j op.Job, r *Result) error {
	if !g.Worth(j.Spec) {
		return g.list[0].Sort(ctx, j, r)
	}
	d, err := g.divide(j.Spec)
	if err == nil {
		g.list[0].raise(d.raised, r)
	}
	for err == nil {
		if r.Pieces = d.pieces; d.pieces == 1 {
			err = g.sortOnce(ctx, j, d, r)
		} else {
			err = g.sortPieces(ctx, j, d.pieces, r)
		}
		if !errors.Is(err, driver.ErrOutOfMemory) || j.Items/uint64(d.pieces) <= g.x.Sizes.LeastPiece {
			return err
		}
		for _, s := range g.list {
			s.trimIdle()
		}
		if d, err = d.smaller(); err == nil {
			g.x.Log.Info("device memory short, sorting in smaller pieces", "devices", g.ID(), "pieces", d.pieces)
		}
	}
	return err
}

// sortPieces sorts host memory that the members do not hold together in n pieces.
func (g *Group) sortPieces(ctx context.Context, j op.Job, n int, r *Result) error {
	choose := func(m *Session) (algo.Algorithm, error) { return m.choose(pieceProblem(j.Spec, n)) }
	a, err := choose(g.list[0])
	if err != nil {
		return err
	}
	r.Algorithm = a.Name
	return g.x.sortPieces(ctx, g.list, choose, j, n, r)
}

// Worth reports whether p is worth several devices; else the first has it.
func (g *Group) Worth(p plan.Problem) bool {
	return p.Kind == op.Sort && p.Items >= uint64(2*len(g.list)) && p.KeyBytes()+p.ValuesBytes() >= g.x.Sizes.ShareFrom
}
