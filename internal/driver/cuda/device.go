//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// device is one driver.Device. It also implements driver.Peer and
// driver.HostRegisterer.
type device struct {
	l     *cu.Lib
	h     cu.Device
	caps  driver.Caps
	label string // for errors
	node  int    // the host's memory node beside the device; negative: unknown

	// mu is held shared by every call and exclusively by Close, so that nothing
	// is destroyed under a call. It is not held while a caller's function runs.
	mu     sync.RWMutex
	closed atomic.Bool // written under mu

	openMu sync.Mutex
	ctx    atomic.Uintptr // cu.Context; 0 until the first call that needs it

	frames  sync.Pool // *cu.Frame, for calls outside queues
	live    registry
	events  eventPool
	modules moduleCache
	pool    memPool
	peers   sync.Map // cu.Device → true: their memory is mapped here
}

func newDevice(l *cu.Lib, h cu.Device, caps driver.Caps) *device {
	d := &device{l: l, h: h, caps: caps, label: caps.ID + " " + caps.Name, node: -1}
	if n, r := l.DeviceAttribute(cu.HostNode, h); r == cu.Success { // drivers before CUDA 12.2 do not know it
		d.node = int(n)
	}
	d.frames.New = func() any { return cu.NewFrame(l) }
	return d
}

func (d *device) Caps() driver.Caps { return d.caps }

// context returns the primary context and retains it the first time. The
// caller holds mu.
func (d *device) context() (cu.Context, error) {
	if c := d.ctx.Load(); c != 0 {
		return cu.Context(c), nil
	}
	d.openMu.Lock()
	defer d.openMu.Unlock()
	if c := d.ctx.Load(); c != 0 {
		return cu.Context(c), nil
	}
	c, r := d.retain()
	if err := d.fail("cuDevicePrimaryCtxRetain", r, ""); err != nil {
		return 0, err
	}
	d.ctx.Store(uintptr(c))
	return c, nil
}

// visit is one stay on a thread with the context current.
type visit struct {
	prev    cu.Context // to be made current again if restore is set
	restore bool
	inBatch bool // the thread and its context belong to a Batch
}

// enter begins a call: the device is open and stays so, the goroutine is locked
// to its thread, the context is current there. leave ends it.
func (d *device) enter(op string, f *cu.Frame) (v visit, err error) {
	d.mu.RLock()
	if d.closed.Load() {
		d.mu.RUnlock()
		return v, d.errClosed(op, "the device")
	}
	c, err := d.context()
	if err != nil {
		d.mu.RUnlock()
		return v, err
	}
	runtime.LockOSThread()
	r := cu.Success
	if batches.Load() != 0 {
		v.prev, r = f.CtxGetCurrent()
		v.restore = v.prev != c
	}
	if r == cu.Success {
		r = f.CtxSetCurrent(c)
	}
	if r != cu.Success {
		runtime.UnlockOSThread()
		d.mu.RUnlock()
		return v, d.fail("cuCtxSetCurrent", r, "")
	}
	return v, nil
}

func (d *device) leave(f *cu.Frame, v visit) {
	if !v.inBatch {
		if v.restore {
			d.restore(f, v.prev)
		}
		runtime.UnlockOSThread()
	}
	d.mu.RUnlock()
}

// do is enter, call, leave for calls that are not on the hot path.
func (d *device) do(op string, call func() error) error {
	return d.with(op, func(*cu.Frame) error { return call() })
}

// with is do for calls through a frame.
func (d *device) with(op string, call func(*cu.Frame) error) error {
	f := d.frames.Get().(*cu.Frame)
	defer d.frames.Put(f)
	v, err := d.enter(op, f)
	if err != nil {
		return err
	}
	defer d.leave(f, v)
	return call(f)
}

func (d *device) Mem() (free, total uint64, err error) {
	err = d.do("cuMemGetInfo_v2", func() error {
		var r cu.Result
		free, total, r = d.l.MemGetInfo()
		return d.fail("cuMemGetInfo_v2", r, "")
	})
	return free, total, err
}

// Close waits for the queues' work and for calls in progress, releases what is
// left, and gives the context back. Values of this device that are closed later
// have nothing left to do.
func (d *device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed.Swap(true) || d.ctx.Load() == 0 {
		return nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f := cu.NewFrame(d.l)
	prev, _ := f.CtxGetCurrent()
	var first error
	note := func(op string, r cu.Result) {
		// A lost context has already said so, and takes everything with it.
		if first == nil && class(r) != driver.ErrDeviceLost {
			first = d.fail(op, r, "while closing the device")
		}
	}
	if r := f.CtxSetCurrent(cu.Context(d.ctx.Load())); r == cu.Success {
		d.live.drain(note)
		d.events.drain(d.l, note)
		d.modules.drain(d.l, note)
		d.pool.drain(d.l, note)
		if prev == cu.Context(d.ctx.Load()) {
			prev = 0
		}
		d.restore(f, prev)
	} else {
		// What is left goes with the context.
		note("cuCtxSetCurrent", r)
	}
	note("cuDevicePrimaryCtxRelease", d.giveBack())
	return first
}

// same reports whether both share a context.
func (d *device) same(o *device) bool { return d.h == o.h && d.l == o.l }
