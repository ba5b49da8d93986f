package exec

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/hostcopy"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// Sort sorts host memory on the device by the algorithm that is chosen: as a whole if
// it fits, else in pieces. The caller's memory is overwritten only when the device has sorted
// everything, and is restored if the download fails. What r says so far holds with an error, too.
func (s *Session) Sort(ctx context.Context, j op.Job, r *Result) error {
	a, err := s.choose(j.Spec)
	if err != nil {
		return err
	}
	return s.SortWith(ctx, a, j, r)
}

// SortWith is Sort by the given algorithm.
func (s *Session) SortWith(ctx context.Context, a algo.Algorithm, j op.Job, r *Result) error {
	r.Algorithm = a.Name
	pieces, raised, err := s.pieces(a, j.Spec)
	if err == nil {
		s.raise(raised, r)
	}
	for err == nil {
		r.Pieces = pieces
		if pieces == 1 {
			err = s.sortWhole(ctx, a, j, r)
		} else {
			err = s.x.sortPieces(ctx, []*Session{s}, func(*Session) (algo.Algorithm, error) { return a, nil }, j, pieces, r)
		}
		// The memory that the device called free may be fragmented or taken by
		// somebody else in between: smaller pieces may still fit.
		if !errors.Is(err, driver.ErrOutOfMemory) || j.Kind != op.Sort || j.Items/uint64(pieces) <= s.x.Sizes.LeastPiece {
			return err
		}
		s.trimIdle()
		s.x.Log.Info("device memory short, sorting in smaller pieces", "device", s.id, "pieces", 2*pieces)
		pieces, err = 2*pieces, nil
	}
	return err
}

// raise tells what the memory limit was raised to, unless it was to more before; 0: it was not.
func (s *Session) raise(limit uint64, r *Result) {
	if limit > r.RaisedLimit {
		r.RaisedLimit = limit
		s.x.Log.Info("the memory limit is raised to the least that works", "device", s.id, "limit", s.x.MemoryLimit, "raised", limit)
	}
}

// sortWhole sorts a job that fits the device.
func (s *Session) sortWhole(ctx context.Context, a algo.Algorithm, j op.Job, r *Result) (err error) {
	p, err := s.prepare(a, j.Spec)
	if err != nil {
		return err
	}
	l, err := s.acquire()
	if err != nil {
		return err
	}
	h := s.halvesOf(a, j.Spec, p)
	l.link.Apart = h != nil
	defer func() {
		l.link.Apart = false
		if e := s.release(l, err != nil); err == nil && e != nil {
			// The data is sorted and home; what could not be freed is logged.
			s.x.Log.Warn("release of device memory failed", "device", s.id, "error", e)
		}
	}()
	s.x.enter("memory")
	at, err := l.roomFor(p, h)
	if err != nil {
		return err
	}
	keep, err := s.x.safetyCopy(j.Spec)
	if err != nil {
		return err
	}
	defer s.x.pool.Put(keep)
	in, out := spans(j, at, keep)
	s.x.markPinned(in)
	s.x.markPinned(out)
	s.x.enter("safety copies")
	direct, _ := l.link.Split(in)
	saved := transfer.Save(direct, s.x.Sizes.Sizes, s.x.HostWorkers(), func() { s.x.enter("(safety copies are made)") })
	defer saved.Finish()
	s.x.enter("upload and sort")
	var m *transfer.Made
	if h == nil {
		r.DeviceTime, err = l.uploadAndSort(ctx, p, at, in)
	} else {
		out[0].Dev = h.output(at)
		r.DeviceTime, m, err = h.sort(ctx, l, at, in[0])
		defer m.Close()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.id, err)
	}
	s.x.enter("download")
	saved.Pace(s.x.Sizes.SaveDown)
	if err := l.link.Download(ctx, out, saved, m); err != nil {
		// No copy may write the caller's memory after it is restored. If even
		// waiting fails, the context is gone, and its copies with it.
		_ = l.link.Drain()
		s.x.restore(saved, out)
		return fmt.Errorf("%s: %w", s.id, err)
	}
	s.x.enter("home")
	if h != nil {
		r.DeviceTime += l.took()
	}
	return nil
}

// uploadAndSort is a sort as a whole: it begins when all keys are there.
func (l *lane) uploadAndSort(ctx context.Context, p *prepared, at Places, in []transfer.Span) (time.Duration, error) {
	if err := l.link.Upload(ctx, in); err != nil {
		return 0, err
	}
	return l.run(ctx, p, at)
}

// roomFor is room for a sort in halves, where h is not nil.
func (l *lane) roomFor(p *prepared, h *halves) (Places, error) {
	if h != nil {
		return h.room(l)
	}
	return l.room(p)
}

// room gives a plan its memory on the lane.
func (l *lane) room(p *prepared) (at Places, err error) {
	for i, e := range p.Problem.Extents() {
		if err == nil && e.Bytes != 0 {
			at[i], err = l.grow(plan.Region(i), e.Bytes)
		}
	}
	if err == nil {
		at[plan.Scratch], err = l.scratchRoom(p)
	}
	if err != nil {
		all, _ := p.Bytes()
		return Places{}, fmt.Errorf("%s: %d bytes for %d items: %w", l.s.id, all, p.Problem.Items, err)
	}
	return at, nil
}

// aligned is the room of a region in memory that several share.
func aligned(bytes uint64) uint64 { return (bytes + 7) &^ 7 }

// safetyCopy reserves host memory for what p overwrites that the caller would miss; nil
// if that is nothing, as in an argsort, which leaves the keys and whose indices are output.
func (x *Executor) safetyCopy(p plan.Problem) (*mem.Block, error) {
	var bytes uint64
	for _, e := range p.Extents() {
		if e.Use == op.InOut {
			bytes += aligned(e.Bytes)
		}
	}
	if bytes == 0 || x.Unsaved {
		return nil, nil
	}
	return x.pool.Get(bytes)
}

// restore brings the input back from its safety copies.
func (x *Executor) restore(saved *transfer.Saver, out []transfer.Span) {
	saved.Finish()
	for _, o := range out {
		if o.Keep != nil {
			hostcopy.Parallel(x.HostWorkers(), o.Host, o.Keep, o.Bytes)
		}
	}
}

// spans lists what goes to the device and what comes back. keep is from safetyCopy.
func spans(j op.Job, at Places, keep *mem.Block) (in, out []transfer.Span) {
	var kept uint64
	for i, e := range j.Extents() {
		if e.Bytes == 0 {
			continue
		}
		s := transfer.Span{Host: j.At[i], Dev: at[i], Bytes: e.Bytes}
		if keep != nil && e.Use == op.InOut {
			s.Keep = unsafe.Add(keep.Pointer(), kept)
			kept += aligned(e.Bytes)
		}
		if e.Use.Reads() {
			in = append(in, s)
		}
		if e.Use.Writes() {
			out = append(out, s)
		}
	}
	return in, out
}
