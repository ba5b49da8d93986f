package opencl

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

// queue implements driver.Queue.
type queue struct {
	d       *device
	h       atomic.Uintptr // cl_command_queue; 0 once closed
	pattern uint32         // of the Memset in progress
	lent    bool           // the cl_command_queue is somebody else's
	tick    cl.Mem         // 4 bytes that Record fills where markers carry no time; 0 elsewhere
}

func (d *device) NewQueue() (driver.Queue, error) {
	if err := d.enter("clCreateCommandQueue"); err != nil {
		return nil, err
	}
	defer d.leave()
	d.clock.Do(d.probeClock)
	h, c := d.api.CreateCommandQueue(d.ctx, d.info.id, cl.QueueProfilingEnable)
	if c != cl.Success {
		return nil, d.err("clCreateCommandQueue", c, "")
	}
	q := &queue{d: d}
	if d.clockByFill {
		m, err := d.create(cl.MemReadWrite, 4)
		if err != nil {
			d.api.ReleaseCommandQueue(h)
			return nil, err
		}
		q.tick = m
	}
	q.h.Store(uintptr(h))
	d.adopt(q)
	return q, nil
}

// WrapQueue implements driver.QueueWrapper.
func (d *device) WrapQueue(handle uintptr) (driver.Queue, error) {
	const op = "clGetCommandQueueInfo"
	if handle == 0 {
		return nil, d.err(op, cl.InvalidCommandQueue, "the cl_command_queue is 0: give a queue's handle")
	}
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	h := cl.Queue(handle)
	for _, q := range []struct {
		param uint32
		want  uint64
		other string
	}{
		{cl.QueueContext, uint64(d.ctx), "the queue belongs to another context: make it in that of a buffer's cl_mem (CL_MEM_CONTEXT)"},
		{cl.QueueDevice, uint64(d.info.id), "the queue belongs to another device: make it for that of the Sorter"},
	} {
		got, c := d.api.GetCommandQueueInfo(h, q.param)
		if c != cl.Success {
			return nil, d.err(op, c, "the handle is no cl_command_queue")
		}
		if got.Uint() != q.want {
			return nil, d.err(op, cl.InvalidCommandQueue, q.other)
		}
	}
	if p, c := d.api.GetCommandQueueInfo(h, cl.QueueProperties); c == cl.Success && p.Uint()&cl.QueueOutOfOrder != 0 {
		return nil, d.err(op, cl.InvalidCommandQueue, "the queue runs commands out of order: give one that keeps their order")
	}
	q := &queue{d: d, lent: true}
	q.h.Store(handle)
	d.adopt(q)
	return q, nil
}

// Handle implements driver.Streamer: the cl_command_queue.
func (q *queue) Handle() uintptr { return q.h.Load() }

// use starts a call of the queue and returns its handle; the caller leaves the
// device after it.
func (q *queue) use(op string) (cl.Queue, error) {
	if err := q.d.enter(op); err != nil {
		return 0, err
	}
	h := cl.Queue(q.h.Load())
	if h == 0 {
		q.d.leave()
		return 0, closedError(q.d.label, op, "queue")
	}
	return h, nil
}

// mem returns b's handle, if it is of this device, open, and has n bytes at off.
func (q *queue) mem(op string, b driver.Buffer, off, n uint64) (cl.Mem, error) {
	ob, ok := b.(*buffer)
	if !ok || ob.d != q.d {
		return 0, foreignError(q.d.label, op, "buffer")
	}
	if off > ob.bytes || n > ob.bytes-off {
		return 0, invalid(q.d.label, op, fmt.Sprintf("%d bytes at offset %d are outside a buffer of %d bytes", n, off, ob.bytes))
	}
	m := cl.Mem(ob.mem.Load())
	if m == 0 {
		return 0, closedError(q.d.label, op, "buffer")
	}
	return m, nil
}

func (q *queue) Memset(b driver.Buffer, off uint64, pattern uint32, n uint64) error {
	const op = "clEnqueueFillBuffer"
	h, err := q.use(op)
	if err != nil {
		return err
	}
	defer q.d.leave()
	m, err := q.mem(op, b, off, n)
	if err != nil {
		return err
	}
	if off%4 != 0 || n%4 != 0 {
		return invalid(q.d.label, op, fmt.Sprintf("offset %d and size %d must be multiples of 4", off, n))
	}
	if n == 0 {
		return nil
	}
	q.pattern = pattern
	return q.d.check(op, q.d.api.EnqueueFillBuffer(h, m, &q.pattern, off, n))
}

func (q *queue) CopyIn(dst driver.Buffer, off uint64, src unsafe.Pointer, n uint64) error {
	const op = "clEnqueueWriteBuffer"
	h, err := q.use(op)
	if err != nil {
		return err
	}
	defer q.d.leave()
	m, err := q.mem(op, dst, off, n)
	if err != nil || n == 0 {
		return err
	}
	return q.d.check(op, q.d.api.EnqueueWriteBuffer(h, m, !q.d.pinned(src, n), off, n, src))
}

// CopyOut waits for copies to ordinary memory: the Go heap holds no promise to
// a device after a call has returned.
func (q *queue) CopyOut(dst unsafe.Pointer, src driver.Buffer, off uint64, n uint64) error {
	const op = "clEnqueueReadBuffer"
	h, err := q.use(op)
	if err != nil {
		return err
	}
	defer q.d.leave()
	m, err := q.mem(op, src, off, n)
	if err != nil || n == 0 {
		return err
	}
	return q.d.check(op, q.d.api.EnqueueReadBuffer(h, m, !q.d.pinned(dst, n), off, n, dst))
}

func (q *queue) Copy(dst driver.Buffer, dstOff uint64, src driver.Buffer, srcOff uint64, n uint64) error {
	const op = "clEnqueueCopyBuffer"
	h, err := q.use(op)
	if err != nil {
		return err
	}
	defer q.d.leave()
	to, err := q.mem(op, dst, dstOff, n)
	if err != nil {
		return err
	}
	from, err := q.mem(op, src, srcOff, n)
	if err != nil || n == 0 {
		return err
	}
	return q.d.check(op, q.d.api.EnqueueCopyBuffer(h, from, to, srcOff, dstOff, n))
}

func (q *queue) Wait(e driver.Event) error {
	const op = "clEnqueueBarrierWithWaitList"
	h, err := q.use(op)
	if err != nil {
		return err
	}
	defer q.d.leave()
	oe, ok := e.(*event)
	if !ok || oe.d != q.d {
		return foreignError(q.d.label, op, "event")
	}
	oe.mu.RLock()
	defer oe.mu.RUnlock()
	if oe.h == 0 {
		return closedError(q.d.label, op, "event")
	}
	return q.d.check(op, q.d.api.EnqueueBarrier(h, oe.h))
}

// Synchronize waits through an event as well as for the queue: a command that
// failed shows in the status of what follows it, not in clFinish's result.
func (q *queue) Synchronize() error {
	h, err := q.use("clFinish")
	if err != nil {
		return err
	}
	defer q.d.leave()
	api := q.d.api
	e, c := api.EnqueueMarker(h)
	if c != cl.Success {
		api.Finish(h)
		return q.d.err("clEnqueueMarkerWithWaitList", c, "")
	}
	defer api.ReleaseEvent(e)
	if c := api.Finish(h); c != cl.Success {
		return q.d.err("clFinish", c, "")
	}
	return q.d.status(e)
}

// status reports a command that ended with an error.
func (d *device) status(e cl.Event) error {
	s, c := d.api.EventStatus(e)
	if c != cl.Success {
		return d.err("clGetEventInfo", c, "")
	}
	if s < 0 {
		return &driver.Error{Op: "clWaitForEvents", Code: int(s), Name: cl.Code(s).Name(), Device: d.label,
			Class: classOf("clWaitForEvents", cl.Code(s)), Detail: "a command failed while it ran"}
	}
	return nil
}

func (q *queue) Close() error { return q.d.drop(q) }

// release waits for the queue's work: its buffers may be closed next.
func (q *queue) release() error {
	h := cl.Queue(q.h.Swap(0))
	d := q.d
	errs := []error{d.check("clFinish", d.api.Finish(h))}
	if !q.lent {
		errs = append(errs, d.check("clReleaseCommandQueue", d.api.ReleaseCommandQueue(h)))
	}
	if q.tick != 0 {
		errs = append(errs, d.check("clReleaseMemObject", d.api.ReleaseMemObject(q.tick)))
	}
	return errors.Join(errs...)
}
