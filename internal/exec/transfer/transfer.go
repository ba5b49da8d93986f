package transfer

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/sys/hostcopy"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

// Span is a piece of host memory and its place on the device.
type Span struct {
	Host  unsafe.Pointer
	Keep  unsafe.Pointer // where Host is copied before it is overwritten; nil: nowhere
	Dev   Place
	Bytes uint64
	whole uint64 // bytes of the span that it was cut from; 0: none
	// Direct says that the host memory is page-locked or the device's own, so
	// that staging would only add a copy.
	Direct bool
	// Fill, if set, makes what is uploaded in place of Host, which is nil: it writes the n bytes of
	// the span from off on to dst. Several goroutines call it, with off a multiple of 8.
	Fill func(dst unsafe.Pointer, off, n uint64)
}

// Cut divides a span behind its first n bytes. The parts keep its place in a safety
// copy.
func (s Span) Cut(n uint64) (head, tail Span) {
	head, tail = s, s
	head.Bytes, tail.Bytes = n, s.Bytes-n
	head.whole, tail.whole = s.Bytes, s.Bytes
	tail.Host, tail.Dev = unsafe.Add(s.Host, n), s.Dev.Plus(n)
	if s.Keep != nil {
		tail.Keep = unsafe.Add(s.Keep, n)
	}
	return head, tail
}

const (
	// stageSlots is the number of staging slots per goroutine: one is filled
	// while the other is copied.
	stageSlots = 2
	// stageTurns is the least number of slots that each goroutine fills in a
	// copy, unless units became smaller than a quarter: link and memcpy work at
	// once but for the first and the last turn.
	stageTurns = 4
)

// unitOf is the size of the staged copies of a transfer by w goroutines: small
// ones get smaller ones, so that the link does not wait for the first slot and
// the host not for the last.
func (z Sizes) unitOf(total uint64, w int) uint64 {
	unit := z.StageUnit
	for unit > z.StageUnit/4 && total < unit*stageTurns*uint64(w) {
		unit /= 2
	}
	return unit
}

// chunk is a part of a span.
type chunk struct {
	s   *Span
	off uint64
	n   uint64
}

func (c chunk) host() unsafe.Pointer { return unsafe.Add(c.s.Host, c.off) }

func chunks(spans []Span, unit uint64) (all []chunk) {
	for i := range spans {
		for off := uint64(0); off < spans[i].Bytes; off += unit {
			all = append(all, chunk{&spans[i], off, min(unit, spans[i].Bytes-off)})
		}
	}
	return all
}

// Split separates spans that go directly from those that are staged.
func (l *Link) Split(spans []Span) (direct, staged []Span) {
	var total uint64
	for _, s := range spans {
		total += max(s.Bytes, s.whole)
	}
	for _, s := range spans {
		if s.Fill == nil && (s.Direct || l.Caps.OfHost() || total < l.Sizes.StageFrom) {
			direct = append(direct, s)
		} else {
			staged = append(staged, s)
		}
	}
	return direct, staged
}

// Upload copies spans to the device, in order with the link's work, and what is
// staged to its keep; a Saver does that for what goes directly. Host memory must
// stay unchanged until the queue is idle.
func (l *Link) Upload(ctx context.Context, spans []Span) error {
	direct, staged := l.Split(spans)
	q, err := l.copyQueue()
	if err != nil {
		return err
	}
	for _, c := range chunks(direct, l.Sizes.DirectUnit) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := q.CopyIn(c.s.Dev.Buf, c.s.Dev.Off+c.off, c.host(), c.n); err != nil {
			return fmt.Errorf("upload: %w", err)
		}
	}
	if len(staged) == 0 {
		return l.Await(q)
	}
	err = l.staged(ctx, staged, func(w *stager, c chunk) error {
		s := w.slot()
		if err := s.wait(); err != nil {
			return err
		}
		switch {
		case c.s.Fill != nil:
			c.s.Fill(s.p, c.off, c.n)
		case c.s.Keep != nil:
			hostcopy.Twice(s.p, unsafe.Add(c.s.Keep, c.off), c.host(), c.n)
		case l.Cached:
			hostcopy.Cached(s.p, c.host(), c.n)
		default:
			hostcopy.Copy(s.p, c.host(), c.n)
		}
		return w.submit(s, func(q driver.Queue) error {
			return q.CopyIn(c.s.Dev.Buf, c.s.Dev.Off+c.off, s.p, c.n)
		})
	})
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	queues, err := l.copyQueues()
	if err != nil {
		return err
	}
	return l.Await(queues[:]...)
}

// Download copies spans from the device, each part when it is saved and made, and
// waits for them. All work that makes them is in the link's work queue; without made it
// is done. After an error host memory holds anything.
func (l *Link) Download(ctx context.Context, spans []Span, saved *Saver, made *Made) error {
	direct, staged := l.Split(spans)
	q, err := l.copyQueue()
	if err != nil {
		return err
	}
	for _, c := range chunks(direct, l.Sizes.DirectUnit) {
		if err := ctx.Err(); err != nil {
			return err
		}
		saved.wait(c.host(), c.n)
		if err := made.hold(q, c); err != nil {
			return fmt.Errorf("download: %w", err)
		}
		if err := q.CopyOut(c.host(), c.s.Dev.Buf, c.s.Dev.Off+c.off, c.n); err != nil {
			return fmt.Errorf("download: %w", err)
		}
	}
	if len(staged) > 0 {
		err := l.staged(ctx, staged, func(w *stager, c chunk) error {
			s := w.slot()
			if err := s.wait(); err != nil {
				return err
			}
			s.then = func() { hostcopy.Copy(c.host(), s.p, c.n) }
			return w.submit(s, func(q driver.Queue) error {
				if err := made.hold(q, c); err != nil {
					return err
				}
				return q.CopyOut(s.p, c.s.Dev.Buf, c.s.Dev.Off+c.off, c.n)
			})
		})
		if err != nil {
			return fmt.Errorf("download: %w", err)
		}
	}
	if err := l.copied(); err != nil {
		return fmt.Errorf("download: %w", err)
	}
	return nil
}

// stager is one goroutine's part of the staging ring. Even goroutines copy in
// the first of two queues, odd ones in the second, so that the link does not wait
// for the next call.
type stager struct {
	mu    *sync.Mutex // of the queue, which one goroutine uses at a time
	q     driver.Queue
	slots [stageSlots]stageSlot
	turn  int
}

// stageSlot is pinned memory with the copy that uses it.
type stageSlot struct {
	p    unsafe.Pointer
	busy driver.Event
	then func() // what to do with the memory when the copy is through
}

// slot returns the slot that was used longest ago.
func (w *stager) slot() *stageSlot {
	w.turn = (w.turn + 1) % stageSlots
	return &w.slots[w.turn]
}

// wait waits for the slot's copy and finishes it.
func (s *stageSlot) wait() error {
	if s.busy == nil {
		return nil
	}
	err := s.busy.Wait()
	if e := s.busy.Close(); err == nil {
		err = e
	}
	s.busy = nil
	if then := s.then; then != nil && err == nil {
		then()
	}
	s.then = nil
	return err
}

func (w *stager) submit(s *stageSlot, copy func(driver.Queue) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := copy(w.q); err != nil {
		return err
	}
	e, err := w.q.Record()
	s.busy = e
	return err
}

// staged calls f for every chunk of the spans, from several goroutines with
// slots of their own, until one fails or ctx ends. All slots are finished when
// it returns; copies still queued after an error are Drain's to wait for.
func (l *Link) staged(ctx context.Context, spans []Span, f func(*stager, chunk) error) error {
	queues, err := l.copyQueues()
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, s := range spans {
		total += s.Bytes
	}
	most := l.Sizes.StageWorkers
	if l.Stagers != 0 {
		most = l.Stagers
	}
	most = min(most, l.Workers)
	unit := l.Sizes.unitOf(total, most)
	work := chunks(spans, unit)
	n := max(1, min(most, len(work)))
	if err := l.growRing(uint64(n*stageSlots) * unit); err != nil {
		return err
	}
	var locks [2]sync.Mutex
	var next workers.Counter
	var failed atomic.Bool
	errs := make([]error, n)
	workers.Each(n, n, func(g int) {
		w := stager{mu: &locks[g&1], q: queues[g&1]}
		for i := range w.slots {
			w.slots[i].p = unsafe.Add(l.ring.Pointer(), uint64(g*stageSlots+i)*unit)
		}
		var err error
		for err == nil && !failed.Load() {
			i := next.Take()
			if i >= len(work) {
				break
			}
			if err = ctx.Err(); err == nil {
				err = f(&w, work[i])
			}
		}
		for range w.slots {
			if e := w.slot().wait(); err == nil {
				err = e
			}
		}
		if err != nil {
			failed.Store(true)
			errs[g] = err
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// growRing makes the pinned staging memory hold n bytes.
func (l *Link) growRing(n uint64) error {
	if l.ring != nil && l.ring.Bytes() >= n {
		return nil
	}
	if l.ring != nil {
		err := l.ring.Close()
		l.ring = nil
		if err != nil {
			return err
		}
	}
	r, err := l.Device.AllocHost(n)
	if err != nil {
		return fmt.Errorf("pinned staging of %d MiB: %w", n>>20, err)
	}
	l.ring = r
	return nil
}
