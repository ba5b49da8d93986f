//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"sync"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// eventPool keeps the handles of closed events for the next Record.
type eventPool struct {
	mu        sync.Mutex
	free, all []cu.Event
}

// get returns an unused handle; the context is current.
func (p *eventPool) get(l *cu.Lib) (cu.Event, cu.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		e := p.free[n-1]
		p.free = p.free[:n-1]
		return e, cu.Success
	}
	e, r := l.EventCreate()
	if r == cu.Success {
		p.all = append(p.all, e)
	}
	return e, r
}

func (p *eventPool) put(e cu.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, e)
}

func (p *eventPool) drain(l *cu.Lib, note func(string, cu.Result)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.all {
		note("cuEventDestroy_v2", l.EventDestroy(e))
	}
	p.free, p.all = nil, nil
}

// event is one recording. Its handle goes back to the pool at Close; a wait
// that was queued before stays what it was.
type event struct {
	d      *device
	h      cu.Event
	closed atomic.Bool
}

func (q *queue) Record() (driver.Event, error) {
	v, err := q.enter("cuEventRecord")
	if err != nil {
		return nil, err
	}
	defer q.d.leave(q.f, v)
	h, r := q.d.events.get(q.d.l)
	if r != cu.Success {
		return nil, q.d.fail("cuEventCreate", r, "")
	}
	if r := q.f.EventRecord(h, q.s); r != cu.Success {
		q.d.events.put(h)
		return nil, q.d.fail("cuEventRecord", r, "")
	}
	return &event{d: q.d, h: h}, nil
}

// Rerecord implements driver.Rerecorder. It allocates nothing.
func (e *event) Rerecord(to driver.Queue) error {
	const op = "cuEventRecord"
	q, ok := to.(*queue)
	if !ok || !q.d.same(e.d) {
		return e.d.invalid(op, "the queue is of another device")
	}
	if e.closed.Load() {
		return e.d.errClosed(op, "the event")
	}
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	r := q.f.EventRecord(e.h, q.s)
	q.d.leave(q.f, v)
	return q.d.fail(op, r, "")
}

// asEvent returns e as an open event of a device with d's context.
func (d *device) asEvent(op string, e driver.Event) (*event, error) {
	v, ok := e.(*event)
	switch {
	case !ok || !v.d.same(d):
		return nil, d.invalid(op, "the event is of another device")
	case v.closed.Load():
		return nil, d.errClosed(op, "the event")
	}
	return v, nil
}

func (q *queue) Wait(e driver.Event) error {
	const op = "cuStreamWaitEvent"
	ev, err := q.d.asEvent(op, e)
	if err != nil {
		return err
	}
	v, err := q.enter(op)
	if err != nil {
		return err
	}
	r := q.f.StreamWaitEvent(q.s, ev.h)
	q.d.leave(q.f, v)
	return q.d.fail(op, r, "")
}

func (e *event) Wait() error {
	const op = "cuEventSynchronize"
	if e.closed.Load() {
		return e.d.errClosed(op, "the event")
	}
	return e.d.with(op, func(f *cu.Frame) error { return e.d.fail(op, f.EventSynchronize(e.h), "") })
}

func (e *event) Done() (done bool, err error) {
	const op = "cuEventQuery"
	if e.closed.Load() {
		return false, e.d.errClosed(op, "the event")
	}
	err = e.d.do(op, func() error {
		r := e.d.l.EventQuery(e.h)
		if r == cu.NotReady {
			return nil
		}
		done = r == cu.Success
		return e.d.fail(op, r, "")
	})
	return done, err
}

// Since has the resolution of the driver, about half a microsecond.
func (e *event) Since(start driver.Event) (ns int64, err error) {
	const op = "cuEventElapsedTime"
	s, err := e.d.asEvent(op, start)
	if err != nil {
		return 0, err
	}
	if e.closed.Load() {
		return 0, e.d.errClosed(op, "the event")
	}
	err = e.d.with(op, func(f *cu.Frame) error {
		ms, r := f.EventElapsedTime(s.h, e.h)
		ns = int64(float64(ms) * 1e6)
		if r == cu.NotReady {
			return e.d.fail(op, r, "both events must have completed")
		}
		return e.d.fail(op, r, "")
	})
	return ns, err
}

func (e *event) Close() error {
	if !e.closed.Swap(true) {
		e.d.mu.RLock()
		defer e.d.mu.RUnlock()
		if !e.d.closed.Load() {
			e.d.events.put(e.h)
		}
	}
	return nil
}
