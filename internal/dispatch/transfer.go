package dispatch

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

// span is a piece of host memory and its place on the device.
type span struct {
	host  unsafe.Pointer
	keep  unsafe.Pointer // where host is copied before it is overwritten; nil: nowhere
	dev   place
	bytes uint64
	whole uint64 // bytes of the span that it was cut from; 0: none
	// direct says that the host memory is page-locked or the device's own, so
	// that staging would only add a copy.
	direct bool
}

// sizes are thresholds in bytes and items. Tests make them small.
type sizes struct {
	stageUnit  uint64 // of a staged copy, the largest
	stageFrom  uint64 // total from which pageable memory is staged here
	directUnit uint64 // of a copy without staging
	leastPiece uint64 // items
	saveUnit   uint64 // of a safety copy made beside the transfer
	saveAtOnce uint64 // total up to which safety copies are made before it
	saveUp     int    // goroutines that make it until the download begins
	saveDown   int    // and from then on
	headUnit   uint64 // items that the head's number is a multiple of
	halveFrom  uint64 // bytes of keys from which a sort overlaps its transfers; 0: none does
}

// defaultSizes are an engine's.
//
//   - A staged copy of 2 MiB takes 38 µs at the 55 GB/s of an H200's link, ten
//     times the 4 µs of host time per call there, and 0.2 ms of one core's
//     memcpy, which six cores hide.
//   - Below 4 MiB the hand-over to goroutines costs more than it saves, and the
//     vendor's driver does the staging.
//   - After 64 MiB, 1 ms to 10 ms, a cancelled context is noticed.
//   - Safety copies become ready by 8 MiB, for which a link of 55 GB/s takes
//     0.15 ms, long beside the hand-over of a channel; up to 1 MiB goroutines cost
//     more than they save.
//   - Safety copies must stay ahead of the download. A core of an H200's host copies 4
//     GB/s, so that four save a third of the keys while the link's 55 GB/s bring them,
//     and all of its sixteen are needed while they go back. They are few at first
//     since a link that reads waits for the memory's answers, which other traffic
//     delays, one that writes does not. Measured there (BenchmarkPinned, 2^28 keys of
//     32 and 64 bits, share of the link): 4 and 16 92.4 and 94.4 %, 4 and 12 91.6 and
//     93.5, 8 and 8 88.0 and 91.9, 12 and 6 86.6 and 88.9, 6 and 12 83.5 and 86.5.
//   - Keys of 256 MiB take 9.8 ms of such a link and 0.9 ms of the device, of which
//     an overlap hides 0.6, for about 0.1 ms of launches and waits: see halves.
//   - The tail begins at a multiple of 2^16 items, where any device lets a buffer begin.
//   - Pieces below 2^16 items cost more in launches and merging than a sort on
//     the CPU.
var defaultSizes = sizes{
	stageUnit: 2 << 20, stageFrom: 4 << 20, directUnit: 64 << 20, leastPiece: 1 << 16,
	saveUnit: 8 << 20, saveAtOnce: 1 << 20, saveUp: 4, saveDown: 16,
	headUnit: 1 << 16, halveFrom: 256 << 20,
}

const (
	// stageSlots is the number of staging slots per goroutine: one is filled
	// while the other is copied.
	stageSlots = 2
	// stageWorkers bounds the goroutines that fill slots. Eight cores of an H200's
	// host copied 31 GB/s, which is short of its link's 55; 48 MiB of pinned memory
	// are quickly made.
	stageWorkers = 12
	// stageTurns is the least number of slots that each goroutine fills in a
	// copy, unless units became smaller than a quarter: link and memcpy work at
	// once but for the first and the last turn.
	stageTurns = 4
)

// unitOf is the size of the staged copies of a transfer by w goroutines: small
// ones get smaller ones, so that the link does not wait for the first slot and
// the host not for the last.
func (z sizes) unitOf(total uint64, w int) uint64 {
	unit := z.stageUnit
	for unit > z.stageUnit/4 && total < unit*stageTurns*uint64(w) {
		unit /= 2
	}
	return unit
}

// chunk is a part of a span.
type chunk struct {
	s   *span
	off uint64
	n   uint64
}

func (c chunk) host() unsafe.Pointer { return unsafe.Add(c.s.host, c.off) }

func chunks(spans []span, unit uint64) (all []chunk) {
	for i := range spans {
		for off := uint64(0); off < spans[i].bytes; off += unit {
			all = append(all, chunk{&spans[i], off, min(unit, spans[i].bytes-off)})
		}
	}
	return all
}

// split separates spans that go directly from those that are staged.
func (l *lane) split(spans []span) (direct, staged []span) {
	var total uint64
	for _, s := range spans {
		total += max(s.bytes, s.whole)
	}
	for _, s := range spans {
		if s.direct || l.s.caps.CPU || l.s.caps.HostUnified || total < l.s.e.sizes.stageFrom {
			direct = append(direct, s)
		} else {
			staged = append(staged, s)
		}
	}
	return direct, staged
}

// upload copies spans to the device, in order with the lane's queue, and what is
// staged to its keep; a saver does that for what goes directly. Host memory must
// stay unchanged until the queue is idle.
func (l *lane) upload(ctx context.Context, spans []span) error {
	direct, staged := l.split(spans)
	q, err := l.copyQueue()
	if err != nil {
		return err
	}
	for _, c := range chunks(direct, l.s.e.sizes.directUnit) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := q.CopyIn(c.s.dev.buf, c.s.dev.off+c.off, c.host(), c.n); err != nil {
			return fmt.Errorf("upload: %w", err)
		}
	}
	if len(staged) == 0 {
		return l.await(q)
	}
	err = l.staged(ctx, staged, func(w *stager, c chunk) error {
		s := w.slot()
		if err := s.wait(); err != nil {
			return err
		}
		if c.s.keep != nil {
			hostcopy.Twice(s.p, unsafe.Add(c.s.keep, c.off), c.host(), c.n)
		} else {
			hostcopy.Copy(s.p, c.host(), c.n)
		}
		return w.submit(s, func(q driver.Queue) error {
			return q.CopyIn(c.s.dev.buf, c.s.dev.off+c.off, s.p, c.n)
		})
	})
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	queues, err := l.copyQueues()
	if err != nil {
		return err
	}
	return l.await(queues[:]...)
}

// download copies spans from the device, each part when it is saved and made, and
// waits for them. All work that makes them is in the lane's queue; without made it
// is done. After an error host memory holds anything.
func (l *lane) download(ctx context.Context, spans []span, saved *saver, made *made) error {
	direct, staged := l.split(spans)
	q, err := l.copyQueue()
	if err != nil {
		return err
	}
	for _, c := range chunks(direct, l.s.e.sizes.directUnit) {
		if err := ctx.Err(); err != nil {
			return err
		}
		saved.wait(c.host(), c.n)
		if err := made.hold(q, c); err != nil {
			return fmt.Errorf("download: %w", err)
		}
		if err := q.CopyOut(c.host(), c.s.dev.buf, c.s.dev.off+c.off, c.n); err != nil {
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
				return q.CopyOut(s.p, c.s.dev.buf, c.s.dev.off+c.off, c.n)
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
// it returns; copies still queued after an error are the lane's to drain.
func (l *lane) staged(ctx context.Context, spans []span, f func(*stager, chunk) error) error {
	queues, err := l.copyQueues()
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, s := range spans {
		total += s.bytes
	}
	most := min(stageWorkers, l.s.e.workers())
	unit := l.s.e.sizes.unitOf(total, most)
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
func (l *lane) growRing(n uint64) error {
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
	r, err := l.s.dev.AllocHost(n)
	if err != nil {
		return fmt.Errorf("pinned staging of %d MiB: %w", n>>20, err)
	}
	l.ring = r
	return nil
}
