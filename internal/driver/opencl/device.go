package opencl

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

// device implements driver.Device.
type device struct {
	api   *cl.API
	info  *info
	label string // for errors: "opencl:0 NVIDIA H200"

	// life is held for reading during every call that uses the context or
	// something in it, for writing by Close.
	life   sync.RWMutex
	closed bool // under life

	mu       sync.Mutex // guards what follows
	ctx      cl.Context
	internal cl.Queue // for maps and migrations, which are waited for
	live     map[releaser]struct{}
	host     []hostRange
	modules  map[string]*module

	internalUse sync.Mutex // one user of internal at a time
	clock       sync.Once
	clockByFill bool // markers carry no time on this device: see queue.Record
}

// releaser is something that the device releases if its owner has not.
type releaser interface{ release() error }

func newDevice(api *cl.API, i *info) *device {
	return &device{api: api, info: i, label: i.caps.ID + " " + i.caps.Name,
		live: map[releaser]struct{}{}, modules: map[string]*module{}}
}

// Caps returns limits and features.
func (d *device) Caps() driver.Caps { return d.info.caps }

// Mem returns the total for both: OpenCL cannot tell what is free.
func (d *device) Mem() (free, total uint64, err error) {
	n := d.info.caps.GlobalBytes
	return n, n, nil
}

// enter starts a call: it makes the context if need be and keeps the device
// open until leave. After an error there is nothing to leave.
func (d *device) enter(op string) error {
	d.life.RLock()
	if d.closed {
		d.life.RUnlock()
		return closedError(d.label, op, "device")
	}
	d.mu.Lock()
	err := d.open()
	d.mu.Unlock()
	if err != nil {
		d.life.RUnlock()
	}
	return err
}

func (d *device) leave() { d.life.RUnlock() }

// open makes the context and the internal queue, once. Call with mu held.
func (d *device) open() error {
	if d.ctx != 0 {
		return nil
	}
	ctx, c := d.api.CreateContext(d.info.platform, d.info.id)
	if c != cl.Success {
		return d.err("clCreateContext", c, "")
	}
	q, c := d.api.CreateCommandQueue(ctx, d.info.id, cl.QueueProfilingEnable)
	if c != cl.Success {
		d.api.ReleaseContext(ctx)
		return d.err("clCreateCommandQueue", c, "")
	}
	d.ctx, d.internal = ctx, q
	return nil
}

// adopt notes something that Close releases if nobody does before.
func (d *device) adopt(r releaser) {
	d.mu.Lock()
	d.live[r] = struct{}{}
	d.mu.Unlock()
}

// disown says whether r was live, and forgets it: the caller that gets true
// releases it.
func (d *device) disown(r releaser) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.live[r]
	delete(d.live, r)
	return ok
}

// drop is the Close of everything that the device owns.
func (d *device) drop(r releaser) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if !d.disown(r) {
		return nil
	}
	return r.release()
}

// Close waits for running calls, releases what is left and the context.
func (d *device) Close() error {
	d.life.Lock()
	defer d.life.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	if d.ctx == 0 {
		return nil
	}
	// Queues first: they wait for the work that uses the rest.
	var errs []error
	for _, queues := range []bool{true, false} {
		for r := range d.live {
			if _, isQueue := r.(*queue); isQueue == queues {
				errs = append(errs, r.release())
				delete(d.live, r)
			}
		}
	}
	for _, m := range d.modules {
		errs = append(errs, m.release())
	}
	clear(d.modules)
	errs = append(errs,
		d.check("clReleaseCommandQueue", d.api.ReleaseCommandQueue(d.internal)),
		d.check("clReleaseContext", d.api.ReleaseContext(d.ctx)))
	d.ctx, d.internal = 0, 0
	return errors.Join(errs...)
}

// err makes the error of a failed call.
func (d *device) err(op string, c cl.Code, detail string) error {
	return apiError(d.label, op, c, detail)
}

// check is err, or nil for success.
func (d *device) check(op string, c cl.Code) error {
	if c == cl.Success {
		return nil
	}
	return d.err(op, c, "")
}

// sizes describes a refused allocation.
func (d *device) sizes(bytes uint64) string {
	return fmt.Sprintf("asked for %d bytes; the largest single buffer is %d bytes, the device has %d: sort fewer items at once, or free other buffers",
		bytes, d.info.caps.MaxAllocBytes, d.info.caps.GlobalBytes)
}
