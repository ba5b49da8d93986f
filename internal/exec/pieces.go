package exec

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

const (
	// mostPieces bounds the ways of the final merge.
	mostPieces = 1 << 10
	// pieceLanes is the number of pieces on the device at once: while one is
	// sorted, another comes and the third goes.
	pieceLanes = 3
	// spareBytes of device memory are left alone: contexts, module code and
	// other users of the device take some between the question and the answer.
	spareBytes = 64 << 20
)

// free is the device memory that one sort may use but for a limit, in bytes.
func (s *Session) free() (uint64, error) {
	free, total, err := s.dev.Mem()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.id, err)
	}
	free = min(free+s.Held(), total) // what is held will be reused or freed
	return free - min(spareBytes, free/8), nil
}

// Plan returns the plan of p, from the cache if p was sorted before.
func (s *Session) Plan(a algo.Algorithm, p plan.Problem) (plan.Plan, error) {
	s.mu.Lock()
	r, ok := s.plans[planKey{a.Name, p}]
	s.mu.Unlock()
	if ok {
		return r.Plan, nil
	}
	pl, err := a.Plan(p, s.caps, s.x.Params)
	if err != nil {
		return pl, fmt.Errorf("%s: %s: %w", s.id, a.Name, err)
	}
	return pl, nil
}

// need is the device memory that a sort of p takes, in bytes; as much as there can be
// if the device allows no buffer as large as one of them.
func (s *Session) need(a algo.Algorithm, p plan.Problem) (uint64, error) {
	pl, err := s.Plan(a, p)
	if err != nil {
		return 0, err
	}
	all, largest := pl.Bytes()
	if most := s.caps.MaxAllocBytes; most != 0 && largest > most {
		return math.MaxUint64, nil
	}
	return all, nil
}

// pieces is the number of pieces that p must be sorted in, 1 if it fits, and what the
// memory limit is raised to for that: see Split.
func (s *Session) pieces(a algo.Algorithm, p plan.Problem) (n int, raised uint64, err error) {
	// A sort that takes little of the device is tried without asking what is
	// free, which costs more than a small sort; if memory is short after all,
	// the allocation says so.
	little := s.caps.GlobalBytes / 16
	if limit := s.x.MemoryLimit; limit != 0 {
		little = min(little, limit)
	}
	if need, err := s.need(a, p); need <= little || err != nil {
		return 1, 0, err
	}
	free, err := s.free()
	if err != nil {
		return 0, 0, err
	}
	return s.Split(a, p, free)
}

// Split is the number of pieces in which p can be sorted with so much free memory and
// within the memory limit, 1 if p fits. If no number of pieces keeps the limit, it is
// raised to what the number takes that takes least; else raised is 0. Only sorts have
// pieces, which can be merged; small ones are made only to keep a limit.
func (s *Session) Split(a algo.Algorithm, p plan.Problem, free uint64) (pieces int, raised uint64, err error) {
	limit := s.x.MemoryLimit
	budget, least := free, uint64(math.MaxUint64)
	if limit != 0 {
		budget = min(free, limit)
	}
	need, err := s.need(a, p)
	for n := 1; err == nil; {
		if need <= budget {
			return evenly(n, 1, p.Items), 0, nil
		}
		if need < least {
			pieces, least = n, need
		}
		n++
		q := pieceProblem(p, n)
		if p.Kind != op.Sort || n > mostPieces || uint64(n) > p.Items || limit == 0 && q.Items < s.x.Sizes.LeastPiece {
			break
		}
		if need, err = s.need(a, q); need <= math.MaxUint64/pieceLanes {
			need *= pieceLanes
		}
	}
	switch {
	case err != nil:
		return 0, 0, err
	case limit != 0 && least <= free:
		return evenly(pieces, 1, p.Items), least, nil
	}
	return 0, 0, fmt.Errorf("%s: %w: %d bytes are free, too few for the %s: free device memory, or use the CPU",
		s.id, driver.ErrOutOfMemory, free, p.Words())
}

// pieceProblem is the largest of n pieces of p.
func pieceProblem(p plan.Problem, n int) plan.Problem {
	p = paired(p)
	p.Items = (p.Items + uint64(n) - 1) / uint64(n)
	return p
}

// evenly is n pieces, or a few more: as many for each lane of so many devices, so that none waits for another's
// last one. One piece stays one.
func evenly(n, devices int, items uint64) int {
	if n == 1 {
		return 1
	}
	lanes := devices * pieceLanes
	return max(n, int(min(uint64((n+lanes-1)/lanes*lanes), items)))
}

// pieceWork is what one of a device's lanes does of trips.
type pieceWork struct {
	algorithm algo.Algorithm
	link      *turns
	shared    bool // by several devices: so is the host's memory
	// take returns the next piece until there are none. It may lie in several places, one of which goes to
	// the device behind the other; they are as long as out together.
	take  func() (in []op.Job, out op.Job, ok bool)
	timed func(time.Duration) // is told what each sort took
}

// pieceLane sorts pieces until there are none.
func (s *Session) pieceLane(ctx context.Context, w pieceWork) (err error) {
	l, err := s.acquire()
	if err != nil {
		return err
	}
	if w.shared {
		l.link.Cached = s.x.Sizes.SharedCached
	}
	defer func() {
		l.link.Stagers, l.link.Cached = 0, false
		if e := s.release(l, err != nil); err == nil && e != nil {
			s.x.Log.Warn("release of device memory failed", "device", s.id, "error", e)
		}
	}()
	for {
		in, out, ok := w.take()
		if !ok {
			return nil
		}
		if err := l.sortPiece(ctx, w, in, out); err != nil {
			return err
		}
	}
}

// stagers is how many goroutines stage a piece that comes, or goes, while another does the other: fewer where the
// memory of both is staged. Two H200 took for 24 GiB, of which one side was page-locked, 0.89 s by 12 and 0.95 by 8;
// with neither 1.31 and 1.26.
func (x *Executor) stagers(spans []transfer.Span) int {
	if slices.ContainsFunc(spans, func(s transfer.Span) bool { return s.Direct }) {
		return x.Sizes.SharedStagers * 3 / 4
	}
	return x.Sizes.SharedStagers / 2
}

// sortPiece sorts what lies in several places to one.
func (l *lane) sortPiece(ctx context.Context, w pieceWork, in []op.Job, out op.Job) error {
	p, err := l.s.prepare(w.algorithm, paired(out.Spec))
	if err != nil {
		return err
	}
	at, err := l.room(p)
	if err != nil {
		return err
	}
	var up []transfer.Span
	to := at
	for _, j := range in {
		more, _ := spans(j, to, nil)
		up = append(up, more...)
		to[plan.KeysIO] = to[plan.KeysIO].Plus(j.KeyBytes())
		to[plan.ValuesIO] = to[plan.ValuesIO].Plus(j.ValuesBytes())
	}
	_, down := spans(out, at, nil)
	l.s.x.markPinned(up)
	l.s.x.markPinned(down)
	if w.shared {
		l.link.Stagers = l.s.x.stagers(slices.Concat(up, down))
	}
	err = take(&w.link.up, func() error {
		if err := l.link.Upload(ctx, up); err != nil {
			return err
		}
		return l.q.Synchronize()
	})
	var took time.Duration
	if err == nil {
		took, err = l.run(ctx, p, at)
	}
	if err == nil {
		w.timed(took)
		err = take(&w.link.down, func() error { return l.link.Download(ctx, down, nil, nil) })
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.s.id, err)
	}
	return nil
}

// slice is the part [from, to) of the items of a sort.
func slice(j op.Job, from, to uint64) op.Job {
	j.Items = to - from
	j.At[op.KeysIO] = unsafe.Add(j.At[op.KeysIO], from*uint64(j.Type.Bytes()))
	if j.ValueBytes != 0 {
		j.At[op.ValuesIO] = unsafe.Add(j.At[op.ValuesIO], from*uint64(j.ValueBytes))
	}
	return j
}

// fillIndex writes first, first + 1, … to the indices of an argsort.
func fillIndex(w int, j op.Job, first uint64) {
	const unit = 1 << 16
	workers.Each(w, int((j.Items+unit-1)/unit), func(b int) {
		from := uint64(b) * unit
		to := min(from+unit, j.Items)
		if j.ValueBytes == 4 {
			x := unsafe.Slice((*uint32)(j.At[op.ValuesIO]), j.Items)
			for i := from; i < to; i++ {
				x[i] = uint32(first + i)
			}
			return
		}
		x := unsafe.Slice((*uint64)(j.At[op.ValuesIO]), j.Items)
		for i := from; i < to; i++ {
			x[i] = first + i
		}
	})
}
