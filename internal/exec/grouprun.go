package exec

import (
	"context"
	"errors"

	mergesort "github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/plan"
)

// Run sorts keys, or pairs, that lie on the members' devices: those from bounds[i] on on
// member i, which has the part of the same length at the end; an argsort writes indices
// among all items and leaves the keys. Behind them the memory has Slack bytes more. Where a
// member has as much memory again, its part may lie in that at the end: at then tells where, and
// what at told before is the group's. After an error the memory holds anything, and at is as it was.
func (g *Group) Run(ctx context.Context, p plan.Problem, bounds []uint64, at []Places, r *Result) error {
	d := division{bounds: bounds, pieces: 1, beside: true}
	// Whether there is memory beside the parts is tried, not asked, which takes longer.
	if limit := g.x.MemoryLimit; limit != 0 {
		for i := range g.list {
			q := paired(p)
			q.Items = bounds[i+1] - bounds[i]
			need, err := g.scratch(i, q)
			if err != nil {
				return err
			}
			if need += q.KeyBytes() + q.ValuesBytes() + 2*Slack; p.Mode == plan.Argsort {
				need += q.KeyBytes() + Slack
			}
			d.beside = d.beside && need <= limit
		}
	}
	r.Pieces = 1
	whole, err := g.runOnce(ctx, p, d, at, r)
	if errors.Is(err, driver.ErrOutOfMemory) && d.beside && whole {
		for _, m := range g.list {
			m.trimIdle()
		}
		d.beside = false
		_, err = g.runOnce(ctx, p, d, at, r)
	}
	return err
}

// runOnce is Run for a division. Of one with room beside it tells after an error whether the
// shares are still whole.
func (g *Group) runOnce(ctx context.Context, p plan.Problem, d division, at []Places, r *Result) (whole bool, err error) {
	s, err := g.begin(ctx, paired(p), d)
	if err != nil {
		return true, err
	}
	s.argsort = p.Mode == plan.Argsort
	defer func() {
		if e := s.end(err != nil); err == nil {
			err = e
		}
	}()
	if err := s.unmirror(); err != nil {
		return true, err
	}
	err = s.inTurn(func(i int) error {
		if s.share(i).Items == 0 {
			return nil
		}
		if s.at[i] = at[i]; s.argsort {
			if err := s.keysApart(i); err != nil {
				return err
			}
		}
		return s.roomBeside(i, s.at[i])
	})
	if err == nil && s.argsort {
		err = s.each(s.number)
	}
	ranged := false // and parts overwrite the shares
	if err == nil {
		ranged, err = s.byRanges()
	}
	if err == nil && !ranged {
		err = s.byShares()
	}
	if err != nil {
		return !ranged, err
	}
	a, err := g.list[0].choose(s.share(0))
	if err != nil {
		return false, err
	}
	r.Algorithm = a.Name
	for i := range s.lanes {
		r.DeviceTime = max(r.DeviceTime, s.took[i])
		s.exchanged(i, &at[i])
	}
	return false, nil
}

// byShares has the members sort their shares, and merge parts of them.
func (s *groupSort) byShares() error {
	err := s.each(func(i int) error {
		if s.share(i).Items == 0 {
			return nil
		}
		m, err := s.lanes[i].s.ready(s.share(i))
		if err != nil {
			return err
		}
		return s.sortShare(i, m)
	})
	if err == nil {
		err = s.findCuts()
	}
	if err == nil {
		err = s.exchange(func(i int, made *transfer.Made) error { return s.named(i, s.lanes[i].q.Synchronize()) })
	}
	return err
}

// keysApart has member i's share of an argsort sorted in a copy of the keys.
func (s *groupSort) keysApart(i int) error {
	l, from, bytes := s.lanes[i], s.at[i][plan.KeysIO], s.share(i).KeyBytes()
	to, err := l.grow(plan.KeysIO, bytes+Slack)
	if err == nil {
		s.at[i][plan.KeysIO] = to
		err = l.q.Copy(to.Buf, 0, from.Buf, from.Off, bytes)
	}
	return s.named(i, err)
}

// roomBeside gives member i scratch memory, and a second memory as large as the first.
func (s *groupSort) roomBeside(i int, at Places) error {
	l := s.lanes[i]
	scratch, err := s.g.scratch(i, s.share(i))
	if err == nil {
		s.at[i][plan.Scratch], err = l.grow(plan.Scratch, scratch)
	}
	for k, region := range [...]plan.Region{mergesort.TwoKeysOut, mergesort.TwoValuesOut} {
		if b := at[k].Buf; err == nil && b != nil && s.beside {
			_, err = l.grow(region, b.Bytes())
		}
	}
	return s.named(i, err)
}

// exchanged gives the caller the memory in which member i's part lies, and the lane the
// one where the share was.
func (s *groupSort) exchanged(i int, at *Places) {
	for k, region := range [...]plan.Region{mergesort.TwoKeysOut, mergesort.TwoValuesOut} {
		if k == int(plan.KeysIO) && s.argsort {
			continue
		}
		if a := &s.lanes[i].memory[region]; a.buf != nil && a.buf == s.out[i][k].Buf {
			a.buf, at[k] = at[k].Buf, s.out[i][k]
		}
	}
}
