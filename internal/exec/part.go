package exec

import (
	"cmp"

	mergesort "github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/cut"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/plan"
)

// findCuts finds the cuts of all runs at the borders of the parts, each by a member. Where
// all keys of the members before a border are at most those behind it, it is a cut.
func (s *groupSort) findCuts() error {
	n := len(s.lanes)
	lengths := make([]uint64, len(s.runs))
	var ends []cut.Span
	for i, r := range s.runs {
		if lengths[i] = r.n; r.n != 0 {
			ends = append(ends, cut.Span{Run: i, N: 1}, cut.Span{Run: i, From: r.n - 1, N: 1})
		}
	}
	s.cuts = make([][]uint64, n+1)
	s.cuts[0], s.cuts[n] = make([]uint64, len(lengths)), lengths
	got, err := s.reader(0)(ends)
	if err != nil {
		return err
	}
	first, last := make([]uint64, len(lengths)), make([]uint64, len(lengths))
	s.ends = [2][]uint64{first, last}
	for k, e := range ends {
		if e.From == 0 && (k == 0 || ends[k-1].Run != e.Run) {
			first[e.Run] = got[k].At(0)
		} else {
			last[e.Run] = got[k].At(0)
		}
	}
	if err := s.findBorders(lengths); err != nil {
		return err
	}
	return s.each(func(i int) error {
		if i+1 == n {
			return nil
		}
		before, behind, natural := uint64(0), ^uint64(0), make([]uint64, len(lengths))
		for k, n := range lengths {
			switch {
			case n == 0:
			case s.runs[k].member > i:
				behind = min(behind, first[k])
			default:
				before, natural[k] = max(before, last[k]), n
			}
		}
		var err error
		if s.cuts[i+1] = natural; before > behind {
			r := cut.Whole(lengths)
			r.Loose = s.spec.ValueBytes == 0 && n == 2 // several loose cuts need not be in order
			s.cuts[i+1], err = r.At(s.bounds[i+1], s.reader(i))
		}
		return err
	})
}

// exchange has every member fetch its part and merge it, after which it lies at out. With
// room beside it is queued in chunks, which made tells of, if the part is not to be
// waited for; else all is fetched before anything is overwritten. All members are there
// when all parts are.
func (s *groupSort) exchange(done func(p int, made *transfer.Made) error) error {
	if s.beside {
		err := s.each(func(p int) error {
			made, err := s.partBeside(p)
			if err == nil {
				err = done(p, made)
			}
			made.Close() // what there is after an error, too
			return err
		})
		if err != nil {
			return err
		}
		// A member that was lost after it was done may have been read by others after that.
		for p := range s.lanes {
			err = cmp.Or(err, s.named(p, s.lanes[p].q.Synchronize()))
		}
		return err
	}
	whole := make([][]chunk, len(s.lanes))
	err := s.each(func(p int) (err error) {
		s.out[p] = s.at[p]
		whole[p], err = s.fetchWhole(p)
		return err
	})
	if err != nil {
		return err
	}
	return s.each(func(p int) error {
		err := s.meldWhole(p, whole[p])
		if err == nil {
			err = done(p, nil)
		}
		return err
	})
}

// fetchWhole gathers member p's part in scratch memory and waits for it. It returns the
// chunks of which the part is made, none if it stays where it is.
func (s *groupSort) fetchWhole(p int) (all []chunk, err error) {
	y := s.g.layout(p, s.share(p))
	c, err := s.chunk(p, section{pieces: pieces(s.cuts[p], s.cuts[p+1])}, y)
	if err != nil || s.stays(p, c) {
		return nil, err
	}
	to, _ := s.fetched(p, y)
	q, at := s.lanes[p].q, uint64(0)
	for _, x := range s.sections(s.cuts[p], s.cuts[p+1]) {
		if c, err = s.chunk(p, x, y); err != nil {
			return nil, err
		}
		if err := s.gather(p, [2]driver.Queue{q, q}, c, s.moved(to, at)); err != nil {
			return nil, err
		}
		all, at = append(all, c), at+c.n+c.gap
	}
	return all, s.named(p, q.Synchronize())
}

// meldWhole makes member p's part of what it has fetched, where its share was.
func (s *groupSort) meldWhole(p int, all []chunk) error {
	from, splits := s.fetched(p, s.g.layout(p, s.share(p)))
	at, off, sort := uint64(0), uint64(0), false
	for _, c := range all {
		to := s.moved(s.out[p], off)
		if err := s.meld(p, c, s.moved(from, at), to, to, splits); err != nil {
			return err
		}
		at, off, sort = at+c.n+c.gap, off+c.n, sort || c.sort
	}
	if sort {
		return s.sortPart(p)
	}
	return s.named(p, s.lanes[p].q.Synchronize())
}

// sortPart sorts the part of member p, whose runs lie there in order.
func (s *groupSort) sortPart(p int) error {
	l := s.lanes[p]
	if err := l.q.Synchronize(); err != nil {
		return s.named(p, err)
	}
	r, err := l.s.ready(s.share(p))
	if err != nil {
		return err
	}
	at := s.out[p]
	if at[plan.Scratch], err = l.scratchRoom(r); err != nil {
		return s.named(p, err)
	}
	took, err := l.run(s.ctx, r, at)
	s.took[p] += took
	return s.named(p, err)
}

// partBeside queues the fetching and merging of member p's part beside its share. It has
// waited for all of it where made is nil; else made is the caller's to close.
func (s *groupSort) partBeside(p int) (made *transfer.Made, err error) {
	l, share := s.lanes[p], s.share(p)
	y := s.g.layout(p, share)
	lo, hi := s.cuts[p], s.cuts[p+1]
	all, err := s.chunk(p, section{pieces: pieces(lo, hi)}, y)
	if err != nil || s.stays(p, all) {
		s.out[p] = s.at[p]
		return nil, err
	}
	x, err := l.link.Beside()
	if err != nil {
		return nil, s.named(p, err)
	}
	out := Places{plan.KeysIO: {Buf: l.memory[mergesort.TwoKeysOut].buf}, plan.ValuesIO: {Buf: l.memory[mergesort.TwoValuesOut].buf}}
	s.out[p] = out
	fetched, splits := s.fetched(p, y)
	width := uint64(s.spec.Type.Bytes())
	step := max((share.Items+mostChunks-1)/mostChunks, s.g.x.Sizes.ChunkFrom/width, 1)
	made = transfer.NewMade(out[plan.KeysIO], step*width)
	sort, w, gaps := false, cut.Runs{Lo: lo, Hi: hi, Loose: s.spec.ValueBytes == 0}, uint64(0)
	for off := uint64(0); off < share.Items; off += step {
		end := hi
		if to := off + step; to < share.Items {
			if end, err = w.At(s.bounds[p]+to, s.reader(p)); err != nil {
				return made, err
			}
		}
		at := off
		for _, section := range s.sections(w.Lo, end) {
			c, err := s.chunk(p, section, y)
			if err != nil {
				return made, err
			}
			if err := s.queueChunk(p, x, c, s.moved(fetched, at+gaps), s.moved(out, at), splits); err != nil {
				return made, err
			}
			at, gaps, sort = at+c.n, gaps+c.gap, sort || c.sort
		}
		if err := made.Record(l.q); err != nil {
			return made, s.named(p, err)
		}
		w.Lo = end
	}
	if sort {
		made.Close()
		return nil, s.sortPart(p)
	}
	if s.spec.ValueBytes != 0 {
		made.Close()
		return nil, s.named(p, l.q.Synchronize())
	}
	return made, nil
}

// queueChunk queues the fetching of a chunk on two queues, and behind it what makes it of
// its pieces. Keys that end where they are fetched, after an even number of merges, are
// fetched there; not so pairs, since a merge before may still write there.
func (s *groupSort) queueChunk(p int, x [2]driver.Queue, c chunk, from, to Places, splits transfer.Place) error {
	other := to
	if s.spec.ValueBytes == 0 && c.levels()%2 == 0 {
		from, other = to, from
	}
	if err := s.gather(p, x, c, from); err != nil {
		return err
	}
	if err := s.lanes[p].link.Await(x[:]...); err != nil {
		return s.named(p, err)
	}
	return s.meld(p, c, from, other, to, splits)
}
