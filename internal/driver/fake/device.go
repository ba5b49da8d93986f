package fake

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

// device implements driver.Device. Its mutex covers everything in it, running
// kernels included.
type device struct {
	drv  *Driver
	caps driver.Caps

	mu      sync.Mutex
	closed  bool
	used    uint64 // bytes in buffers
	now     int64  // virtual time
	lost    *driver.Error
	gone    atomic.Bool        // by lose; other devices' queues ask, which lock their own
	buffers map[uintptr][]byte // what Wrap finds
	owned   map[any]func()     // open objects and how to release them
	modules map[string]*module
}

func (d *device) Caps() driver.Caps { return d.caps }

// enter locks the device for a call; an error leaves it unlocked.
func (d *device) enter(op string) error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return d.errorf(op, "CLOSED", driver.ErrClosed, "the device is closed")
	}
	if d.lost != nil {
		d.mu.Unlock()
		return d.lost
	}
	return nil
}

// lose loses the device.
func (d *device) lose() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lost = d.errorf("Lose", "LOST", driver.ErrDeviceLost, "the device is gone")
	d.gone.Store(true)
}

// own notes x; release is called once, by x's Close or the device's.
func (d *device) own(x any, release func()) {
	d.owned[x] = release
	d.drv.born(x)
}

func (d *device) disown(x any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if release, ok := d.owned[x]; ok {
		delete(d.owned, x)
		d.drv.died(x)
		release()
	}
	return nil
}

func (d *device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	for x := range d.owned {
		if q, ok := x.(*queue); ok {
			q.drain(q.last())
		}
	}
	for x, release := range d.owned {
		delete(d.owned, x)
		d.drv.died(x)
		release()
	}
	return nil
}

func (d *device) Mem() (free, total uint64, err error) {
	if err := d.enter("Mem"); err != nil {
		return 0, 0, err
	}
	defer d.mu.Unlock()
	return d.caps.GlobalBytes - d.used, d.caps.GlobalBytes, nil
}

// buffer implements driver.Buffer.
type buffer struct {
	d      *device
	handle uintptr
	mem    []byte // nil bytes are possible: see closed
	closed bool   // under d.mu
}

func (d *device) Alloc(n uint64) (driver.Buffer, error) {
	if err := d.enter("Alloc"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	if n > d.caps.MaxAllocBytes || n > d.caps.GlobalBytes-d.used {
		return nil, d.errorf("Alloc", "OUT_OF_MEMORY", driver.ErrOutOfMemory, "asked for %d bytes; %d are free, the largest single buffer is %d",
			n, d.caps.GlobalBytes-d.used, d.caps.MaxAllocBytes)
	}
	b := &buffer{d: d, handle: d.drv.handle(n), mem: bytes(n)}
	stale(b.mem)
	d.used += n
	d.buffers[b.handle] = b.mem
	d.own(b, func() {
		b.closed = true
		d.used -= n
		delete(d.buffers, b.handle)
	})
	return b, nil
}

// Wrap finds the open buffer that holds the address.
func (d *device) Wrap(handle uintptr, n uint64) (driver.Buffer, error) {
	if err := d.enter("Wrap"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	var mem []byte
	ok := false
	for base, m := range d.buffers {
		if at := uint64(handle - base); handle >= base && at <= uint64(len(m)) && n <= uint64(len(m))-at {
			mem, ok = m[at:], true
		}
	}
	if !ok {
		return nil, d.errorf("Wrap", "INVALID_HANDLE", nil, "no buffer of %d bytes has the handle %#x", n, handle)
	}
	b := &buffer{d: d, handle: handle, mem: mem[:n]}
	d.own(b, func() { b.closed = true })
	return b, nil
}

func (b *buffer) Bytes() uint64   { return uint64(len(b.mem)) }
func (b *buffer) Handle() uintptr { return b.handle }

func (b *buffer) Place() (space uintptr, off uint64) { return 0, uint64(b.handle) }

func (b *buffer) Close() error { return b.d.disown(b) }

// hostBuffer implements driver.HostBuffer.
type hostBuffer struct {
	d   *device
	mem []byte
}

func (d *device) AllocHost(n uint64) (driver.HostBuffer, error) {
	if err := d.enter("AllocHost"); err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	h := &hostBuffer{d, bytes(n)}
	stale(h.mem)
	d.own(h, func() {})
	return h, nil
}

// pinned reports whether n bytes at p lie in an open host buffer.
func (d *device) pinned(p unsafe.Pointer, n uint64) bool {
	for x := range d.owned {
		if h, ok := x.(*hostBuffer); ok {
			lo := uintptr(unsafe.Pointer(unsafe.SliceData(h.mem)))
			if uintptr(p) >= lo && uintptr(p)+uintptr(n) <= lo+uintptr(len(h.mem)) {
				return true
			}
		}
	}
	return false
}

func (h *hostBuffer) Bytes() uint64 { return uint64(len(h.mem)) }

func (h *hostBuffer) Pointer() unsafe.Pointer {
	if len(h.mem) == 0 {
		return nil
	}
	return unsafe.Pointer(&h.mem[0])
}

func (h *hostBuffer) Close() error { return h.d.disown(h) }
