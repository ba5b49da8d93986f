package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpusort/gpusort/internal/algo"
	mergesort "github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// sortOnce sorts host memory that all members together hold. The caller's memory is
// overwritten only when all members have read theirs, and is restored if any of them
// fails.
func (g *Group) sortOnce(ctx context.Context, j op.Job, d division, r *Result) (err error) {
	keep := make([]*mem.Block, len(g.list))
	if !d.mirrored {
		if keep, err = g.x.safetyCopies(j.Spec, d.bounds); err != nil {
			return err
		}
	}
	defer g.x.drop(keep)
	s, err := g.begin(ctx, paired(j.Spec), d)
	if err != nil {
		return err
	}
	s.argsort = j.Mode == plan.Argsort
	defer func() {
		if e := s.end(err != nil); err == nil && e != nil {
			g.x.Log.Warn("release of device memory failed", "devices", g.ID(), "error", e)
		}
	}()
	a, err := g.list[0].choose(s.share(0))
	if err != nil {
		return err
	}
	r.Algorithm = a.Name
	n := len(g.list)
	parts := make([]hostPart, n)
	for i := range parts {
		parts[i].in, parts[i].out = s.spans(i, j, keep[i])
	}
	defer func() {
		for i := range parts {
			parts[i].saved.Finish()
		}
	}()
	if d.mirrored {
		err = s.each(s.mirrorRoom)
	} else if g.mirrors(j.Spec) { // there is no memory for it
		err = s.unmirror()
	}
	bytes, took := make([]uint64, n), make([]time.Duration, n)
	if err == nil {
		err = s.each(func(i int) error {
			start := time.Now()
			err := s.load(i, &parts[i])
			bytes[i], took[i] = s.share(i).KeyBytes()+s.share(i).ValuesBytes(), time.Since(start)
			return err
		})
	}
	if err == nil {
		g.paces.note(bytes, took, g.x.Sizes.PaceFrom)
	}
	if err == nil {
		err = s.findCuts()
	}
	if err != nil {
		return err
	}
	if err := s.bringHome(parts); err != nil {
		for _, l := range s.lanes {
			_ = l.link.Drain() // no copy may write the caller's memory after it is restored
		}
		if d.mirrored {
			return errors.Join(err, s.restoreMirrored(parts))
		}
		for _, h := range parts {
			g.x.restore(h.saved, h.out)
		}
		return err
	}
	for _, took := range s.took {
		r.DeviceTime = max(r.DeviceTime, took)
	}
	return nil
}

// bringHome has every member make its part and bring it home. Where shares are mirrored,
// all parts and mirrors are made before any part goes.
func (s *groupSort) bringHome(parts []hostPart) error {
	if !s.mirrored {
		return s.exchange(func(i int, made *transfer.Made) error { return s.unload(i, &parts[i], made) })
	}
	err := s.exchange(func(i int, _ *transfer.Made) error { return s.named(i, s.lanes[i].link.Drain()) })
	if err != nil {
		return err
	}
	return s.each(func(i int) error { return s.unload(i, &parts[i], nil) })
}

// safetyCopies reserves host memory for each share, as safetyCopy does.
func (x *Executor) safetyCopies(p plan.Problem, bounds []uint64) (keep []*mem.Block, err error) {
	for i := range len(bounds) - 1 {
		p.Items = bounds[i+1] - bounds[i]
		b, err := x.safetyCopy(p)
		if err != nil {
			x.drop(keep)
			return nil, err
		}
		keep = append(keep, b)
	}
	return keep, nil
}

func (x *Executor) drop(keep []*mem.Block) {
	for _, b := range keep {
		x.pool.Put(b)
	}
}

// hostPart is what a member reads and writes of the caller's memory.
type hostPart struct {
	in, out []transfer.Span // by region; their places on the device are filled in later
	saved   *transfer.Saver
	touched bool // out may have been written
}

// spans lists member i's spans. Of an argsort, the keys do not come back.
func (s *groupSort) spans(i int, j op.Job, keep *mem.Block) (in, out []transfer.Span) {
	j.Spec = s.spec
	return spans(slice(j, s.bounds[i], s.bounds[i+1]), Places{}, keep)
}

// load gives member i its memory, and has it read and sort its share, in two runs where
// the first can be sorted while the rest comes.
func (s *groupSort) load(i int, h *hostPart) error {
	l, share, x := s.lanes[i], s.share(i), s.g.x
	if share.Items == 0 {
		return nil
	}
	p, err := l.s.ready(share)
	if err != nil {
		return err
	}
	if err := s.room(i, p); err != nil {
		return err
	}
	x.markPinned(h.in)
	x.markPinned(h.out)
	if s.argsort {
		h.in = h.in[:1] // keys; the device makes the indices
		if err := s.number(i); err != nil {
			return err
		}
	}
	at := s.at[i]
	if s.mirrored {
		at = s.inMirror(i, l.mirror[0].buf)
	}
	for k := range h.in {
		h.in[k].Dev = at[k]
	}
	direct, _ := l.link.Split(h.in)
	z := x.Sizes.Sizes
	z.SaveUp = x.Sizes.SharedSaveUp
	h.saved = transfer.Save(direct, z, x.HostWorkers(), func() {})
	if head, tail := s.halves(i, p); head != nil {
		up := func(keys transfer.Span) error { return s.bring(i, []transfer.Span{keys}) }
		took, err := l.sortHalves(s.ctx, up, head, tail, s.at[i], h.in[0])
		s.twoRuns(i, head, tail, took)
		return s.named(i, err)
	}
	if err := s.bring(i, h.in); err != nil {
		return s.named(i, err)
	}
	return s.sortShare(i, p)
}

// shareTail is the part of a share that is sorted last. An H200 sorts 2^29 keys of 32 and 64
// bits at 57 and 33 Gkeys/s and reads them at 13.8 and 6.9: four fifths are sorted by the
// time that the last fifth has come. An eighth would come some 4 ms before.
const shareTail = 5

// halves are the plans of a share's first four fifths and of the rest, where it pays to
// sort the first while the rest comes: see the type halves. nil: there are none.
func (s *groupSort) halves(i int, p *prepared) (head, tail *prepared) {
	if !s.g.list[i].mayHalve(p.Problem, p) {
		return nil, nil
	}
	return s.cutShare(i, p, p.Problem.Items-p.Problem.Items/shareTail)
}

// cutShare are the plans of a share's first items and of the rest, which are then runs of
// their own that the exchange merges with the others'. nil: it is sorted as a whole.
func (s *groupSort) cutShare(i int, p *prepared, first uint64) (head, tail *prepared) {
	m, x, share := s.g.list[i], s.g.x, p.Problem
	if share.ValueBytes != 0 || !s.g.layout(i, share).merges || x.Whole || x.Params != (algo.Params{}) || x.Poison {
		return nil, nil
	}
	rest := share
	share.Items, rest.Items = first, share.Items-first
	head, err := m.ready(share)
	if err == nil {
		tail, err = m.ready(rest)
	}
	if err != nil || max(head.ScratchBytes, tail.ScratchBytes) > s.lanes[i].memory[plan.Scratch].bytes() || head.Status != nil || tail.Status != nil || head.HasHostSteps() || tail.HasHostSteps() {
		return nil, nil
	}
	return head, tail
}

// twoRuns notes that member i's share is two sorted runs.
func (s *groupSort) twoRuns(i int, head, tail *prepared, took time.Duration) {
	at := s.at[i]
	behind := s.moved(at, head.Problem.Items)
	s.took[i] = took
	s.runs[2*i] = sortedRun{member: i, keys: at[plan.KeysIO], n: head.Problem.Items}
	s.runs[2*i+1] = sortedRun{member: i, from: head.Problem.Items, keys: behind[plan.KeysIO], n: tail.Problem.Items}
}

// room gives member i the memory for its share and its part.
func (s *groupSort) room(i int, p *prepared) error {
	l, share := s.lanes[i], s.share(i)
	keys, values := s.g.layout(i, share).sizes(share)
	scratch, err := s.g.scratch(i, share)
	if err != nil {
		return err
	}
	for _, want := range []struct {
		region plan.Region
		bytes  uint64
	}{{plan.KeysIO, keys}, {plan.ValuesIO, values}, {plan.Scratch, scratch}, {mergesort.TwoKeysOut, keys}, {mergesort.TwoValuesOut, values}} {
		if want.bytes == 0 || !s.beside && want.region >= mergesort.TwoKeysOut && want.region != plan.Scratch {
			continue
		}
		if s.at[i][want.region], err = l.grow(want.region, want.bytes); err != nil {
			return fmt.Errorf("%s: %d bytes for a share of %d items: %w", l.s.id, want.bytes, share.Items, err)
		}
	}
	return nil
}

// sortShare sorts member i's share where it lies, in two runs where that is faster.
func (s *groupSort) sortShare(i int, p *prepared) (err error) {
	l, at := s.lanes[i], s.at[i]
	if at[plan.Scratch], err = l.scratchRoom(p); err != nil {
		return s.named(i, err)
	}
	var took time.Duration
	if most, n := s.g.x.Sizes.RunItems, p.Problem.Items; p.Problem.Type.Bytes() == 8 && n > most && n <= 2*most {
		if head, tail := s.cutShare(i, p, n-n/2); head != nil {
			took, err = l.runBoth(s.ctx, head, tail, at, s.moved(at, head.Problem.Items))
			s.twoRuns(i, head, tail, took)
			return s.named(i, err)
		}
	}
	if took, err = l.run(s.ctx, p, at); err != nil {
		return s.named(i, err)
	}
	s.took[i] = took
	s.runs[2*i] = sortedRun{member: i, keys: at[plan.KeysIO], values: at[plan.ValuesIO], n: p.Problem.Items}
	return nil
}

// unload brings member i's part home, each chunk of it when it is made.
func (s *groupSort) unload(i int, h *hostPart, made *transfer.Made) error {
	l := s.lanes[i]
	var out []transfer.Span
	for r, o := range h.out {
		if o.Dev = s.out[i][r]; r == int(plan.KeysIO) && s.argsort {
			continue
		}
		out = append(out, o)
	}
	h.saved.Pace(s.g.x.Sizes.SaveDown)
	h.touched = true
	return s.named(i, l.link.Download(s.ctx, out, h.saved, made))
}
