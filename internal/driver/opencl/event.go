package opencl

import (
	"sync"
	"time"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

// event implements driver.Event.
type event struct {
	d  *device
	mu sync.RWMutex // held for reading while h is in use, for writing by Close
	h  cl.Event     // 0 once closed
}

// Record adds a marker, or where markers carry no time a fill of 4 bytes, and
// submits the queue's work, so that other queues and Done see it complete.
func (q *queue) Record() (driver.Event, error) {
	op := "clEnqueueMarkerWithWaitList"
	h, err := q.use(op)
	if err != nil {
		return nil, err
	}
	defer q.d.leave()
	var e cl.Event
	var c cl.Code
	if q.tick != 0 {
		op = "clEnqueueFillBuffer"
		e, c = q.d.api.EnqueueFillBufferEvent(h, q.tick, &q.pattern, 0, 4)
	} else {
		e, c = q.d.api.EnqueueMarker(h)
	}
	if c != cl.Success {
		return nil, q.d.err(op, c, "")
	}
	if c := q.d.api.Flush(h); c != cl.Success {
		q.d.api.ReleaseEvent(e)
		return nil, q.d.err("clFlush", c, "")
	}
	ev := &event{d: q.d, h: e}
	q.d.adopt(ev)
	return ev, nil
}

// probeClock finds out whether markers carry time on this device. OpenCL 1.2
// promises it, but some vendors answer 0 or the time of something else.
func (d *device) probeClock() {
	d.internalUse.Lock()
	defer d.internalUse.Unlock()
	var end [2]uint64
	for i := range end {
		e, c := d.api.EnqueueMarker(d.internal)
		if c == cl.Success {
			c = d.api.WaitForEvent(e)
			if c == cl.Success {
				end[i], c = d.api.GetEventProfilingInfo(e, cl.ProfilingCommandEnd)
			}
			d.api.ReleaseEvent(e)
		}
		if c != cl.Success {
			d.clockByFill = true
			return
		}
	}
	d.clockByFill = end[0] == 0 || end[1] < end[0]
}

// use starts a call of the event; the caller ends it with done.
func (e *event) use(op string) error {
	if err := e.d.enter(op); err != nil {
		return err
	}
	e.mu.RLock()
	if e.h == 0 {
		e.done()
		return closedError(e.d.label, op, "event")
	}
	return nil
}

func (e *event) done() {
	e.mu.RUnlock()
	e.d.leave()
}

func (e *event) Wait() error {
	if err := e.use("clWaitForEvents"); err != nil {
		return err
	}
	defer e.done()
	if c := e.d.api.WaitForEvent(e.h); c != cl.Success && c != cl.ExecStatusError {
		return e.d.err("clWaitForEvents", c, "")
	}
	return e.d.status(e.h)
}

func (e *event) Done() (bool, error) {
	if err := e.use("clGetEventInfo"); err != nil {
		return false, err
	}
	defer e.done()
	s, c := e.d.api.EventStatus(e.h)
	if c != cl.Success {
		return false, e.d.err("clGetEventInfo", c, "")
	}
	if s < 0 {
		return true, e.d.status(e.h)
	}
	return s == cl.Complete, nil
}

func (e *event) Since(start driver.Event) (int64, error) {
	const op = "clGetEventProfilingInfo"
	s, ok := start.(*event)
	if !ok || s.d != e.d {
		return 0, foreignError(e.d.label, op, "event")
	}
	t1, err := e.end()
	if err != nil {
		return 0, err
	}
	t0, err := s.end()
	if err != nil {
		return 0, err
	}
	return int64(t1 - t0), nil
}

// end is the device's time at the event.
func (e *event) end() (uint64, error) {
	const op = "clGetEventProfilingInfo"
	if err := e.use(op); err != nil {
		return 0, err
	}
	defer e.done()
	api := e.d.api
	t, c := patient(func() (uint64, cl.Code) { return api.GetEventProfilingInfo(e.h, cl.ProfilingCommandEnd) },
		func() bool {
			// A failed command never has times; Wait reports it.
			s, c := api.EventStatus(e.h)
			return c == cl.Success && s >= 0 && api.WaitForEvent(e.h) == cl.Success
		})
	if c != cl.Success {
		return 0, e.d.err(op, c, "the event must have completed: wait for it first")
	}
	return t, nil
}

// NVIDIA's driver writes an event's times some while after clFinish and
// clWaitForEvents have returned when several queues are busy. timePause is the
// first pause before the time is asked for again, each pause is twice the one
// before, and timeTries bounds them: 2 µs to 16 ms, 33 ms in all.
const (
	timePause = 2 * time.Microsecond
	timeTries = 14
)

// patient reads a time that may come late. settled waits for the event itself
// and reports whether its time can still come.
func patient(read func() (uint64, cl.Code), settled func() bool) (t uint64, c cl.Code) {
	if t, c = read(); c != cl.ProfilingInfoNotAvailable || !settled() {
		return t, c
	}
	pause := timePause
	for range timeTries {
		if t, c = read(); c != cl.ProfilingInfoNotAvailable {
			return t, c
		}
		time.Sleep(pause)
		pause *= 2
	}
	return read()
}

func (e *event) Close() error { return e.d.drop(e) }

func (e *event) release() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.h
	e.h = 0
	return e.d.check("clReleaseEvent", e.d.api.ReleaseEvent(h))
}
