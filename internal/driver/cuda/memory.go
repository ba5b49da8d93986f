//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
	"github.com/gpusort/gpusort/internal/sys/numa"
)

// buffer is device memory. Memory of others is a buffer that the registry does
// not know.
type buffer struct {
	d      *device
	p      cu.DevicePtr
	n      uint64
	owned  bool
	q      *queue // freed in this queue's order, if set
	closed atomic.Bool
}

func (b *buffer) Bytes() uint64   { return b.n }
func (b *buffer) Handle() uintptr { return uintptr(b.p) }
func (b *buffer) rank() int       { return rankMemory }

// Place is the address: a device has one space.
func (b *buffer) Place() (space uintptr, off uint64) { return 0, uint64(b.p) }

func (b *buffer) Close() error {
	if b.closed.Swap(true) || !b.owned {
		return nil
	}
	return b.d.release(b)
}

func (b *buffer) release() (string, cu.Result) {
	if b.q != nil && !b.q.closed.Load() {
		return "cuMemFreeAsync", b.d.l.MemFreeAsync(b.p, b.q.s)
	}
	return "cuMemFree_v2", b.d.l.MemFree(b.p)
}

// own makes and registers a buffer. No memory is behind one of 0 bytes.
func (d *device) own(p cu.DevicePtr, bytes uint64, q *queue) *buffer {
	b := &buffer{d: d, p: p, n: bytes, owned: bytes != 0, q: q}
	if b.owned {
		d.live.add(b)
	}
	return b
}

func (d *device) Alloc(bytes uint64) (driver.Buffer, error) {
	var b *buffer
	err := d.do("cuMemAlloc_v2", func() error {
		if bytes == 0 {
			b = d.own(0, 0, nil)
			return nil
		}
		p, r := d.l.MemAlloc(bytes)
		if r == cu.OutOfMemory && d.pool.trim(d.l) {
			p, r = d.l.MemAlloc(bytes)
		}
		if r != cu.Success {
			return d.fail("cuMemAlloc_v2", r, d.shortage(bytes, r))
		}
		b = d.own(p, bytes, nil)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// shortage says what was asked for and, if memory ran out, what there is.
func (d *device) shortage(bytes uint64, r cu.Result) string {
	s := fmt.Sprintf("%d bytes asked for", bytes)
	if r == cu.OutOfMemory {
		if free, total, r := d.l.MemGetInfo(); r == cu.Success {
			s += fmt.Sprintf(", %d of %d free", free, total)
		}
	}
	return s
}

// Wrap refuses memory that the driver does not know or that is smaller than
// said.
func (d *device) Wrap(handle uintptr, bytes uint64) (driver.Buffer, error) {
	p := cu.DevicePtr(handle)
	err := d.do("cuMemGetAddressRange_v2", func() error {
		if bytes == 0 {
			return nil
		}
		base, size, r := d.l.MemGetAddressRange(p)
		if r != cu.Success {
			return d.fail("cuMemGetAddressRange_v2", r, fmt.Sprintf("%#x is no device pointer", handle))
		}
		if left := size - uint64(p-base); left < bytes {
			return d.invalid("cuMemGetAddressRange_v2",
				fmt.Sprintf("%d bytes at %#x wanted, the allocation has %d from there", bytes, handle, left))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &buffer{d: d, p: p, n: bytes}, nil
}

// hostBuffer is page-locked host memory: the driver's, or the caller's if
// registered is set.
type hostBuffer struct {
	d          *device
	p          unsafe.Pointer
	n          uint64
	registered bool
	closed     atomic.Bool
}

func (b *hostBuffer) Bytes() uint64 { return b.n }
func (b *hostBuffer) rank() int     { return rankMemory }

// Pointer is nil once the memory is gone.
func (b *hostBuffer) Pointer() unsafe.Pointer {
	if b.closed.Load() {
		return nil
	}
	return b.p
}

func (b *hostBuffer) Close() error {
	if b.closed.Swap(true) || b.p == nil {
		return nil
	}
	return b.d.release(b)
}

func (b *hostBuffer) release() (string, cu.Result) {
	b.closed.Store(true)
	if b.registered {
		return "cuMemHostUnregister", b.d.l.MemHostUnregister(b.p)
	}
	return "cuMemFreeHost", b.d.l.MemFreeHost(b.p)
}

func (d *device) AllocHost(bytes uint64) (driver.HostBuffer, error) {
	b := &hostBuffer{d: d, n: bytes}
	err := d.do("cuMemHostAlloc", func() error {
		if bytes == 0 {
			return nil
		}
		return numa.On(d.node, func() error {
			var r cu.Result
			if b.p, r = d.l.MemHostAlloc(bytes, cu.Portable); r != cu.Success {
				return d.fail("cuMemHostAlloc", r, fmt.Sprintf("%d bytes of page-locked host memory asked for", bytes))
			}
			d.live.add(b)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// RegisterHost implements driver.HostRegisterer.
func (d *device) RegisterHost(p unsafe.Pointer, bytes uint64) (driver.HostBuffer, error) {
	if p == nil || bytes == 0 {
		return &hostBuffer{d: d}, nil
	}
	b := &hostBuffer{d: d, p: p, n: bytes, registered: true}
	err := d.do("cuMemHostRegister_v2", func() error {
		if r := d.l.MemHostRegister(p, bytes, cu.Portable); r != cu.Success {
			return d.fail("cuMemHostRegister_v2", r, fmt.Sprintf("%d bytes at %p; memory is registered once, "+
				"and within the limit of locked memory (ulimit -l)", bytes, p))
		}
		d.live.add(b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}
