package intercept

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

type device struct {
	object
	inner driver.Device

	mu      sync.Mutex
	modules map[driver.Module]driver.Module // the same module is the same value
}

// fullDevice is a device with optional interfaces.
type fullDevice struct{ *device }

func wrapDevice(s *state, inner driver.Device) driver.Device {
	d := &device{object: object{s, s.name("d")}, inner: inner, modules: map[driver.Module]driver.Module{}}
	_, peer := inner.(driver.Peer)
	_, host := inner.(driver.HostRegisterer)
	if peer || host {
		return fullDevice{d}
	}
	return d
}

func innerDevice(d driver.Device) driver.Device {
	switch d := d.(type) {
	case *device:
		return d.inner
	case fullDevice:
		return d.inner
	}
	return d
}

func (d *device) Caps() driver.Caps { return d.inner.Caps() }

func (d *device) NewQueue() (driver.Queue, error) {
	return make1(&d.object, "Device.NewQueue", "q", nil, d.inner.NewQueue,
		func(q driver.Queue, name string) driver.Queue { return wrapQueue(d.s, q, name) })
}

func (d *device) Alloc(n uint64) (driver.Buffer, error) {
	return make1(&d.object, "Device.Alloc", "b", sprint(n),
		func() (driver.Buffer, error) { return d.inner.Alloc(n) }, d.s.buffer)
}

func (d *device) Wrap(handle uintptr, n uint64) (driver.Buffer, error) {
	return make1(&d.object, "Device.Wrap", "b", sprint(n),
		func() (driver.Buffer, error) { return d.inner.Wrap(handle, n) }, d.s.buffer)
}

func (d *device) AllocHost(n uint64) (driver.HostBuffer, error) {
	return make1(&d.object, "Device.AllocHost", "h", sprint(n),
		func() (driver.HostBuffer, error) { return d.inner.AllocHost(n) }, d.s.hostBuffer)
}

func (d *device) LoadModule(images []driver.Image) (m driver.Module, err error) {
	text := func() string {
		if len(images) == 0 {
			return "no image"
		}
		return images[0].Name
	}
	c := &Call{On: d.name, Method: "Device.LoadModule", text: text}
	err = d.s.hook(c, func() error {
		inner, err := d.inner.LoadModule(images)
		if err != nil {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if m = d.modules[inner]; m == nil {
			c.Made = d.s.name("m")
			m = wrapModule(d.s, inner, c.Made)
			d.modules[inner] = m
		}
		return nil
	})
	return m, err
}

func (d *device) Mem() (free, total uint64, err error) {
	err = d.call("Device.Mem", nil, func() (err error) {
		free, total, err = d.inner.Mem()
		return err
	})
	return free, total, err
}

func (d *device) Close() error { return d.end("Device.Close", d.inner.Close) }

func (d fullDevice) CanAccess(peer driver.Device) (ok bool, err error) {
	err = d.call("Device.CanAccess", nil, func() (err error) {
		if p, has := d.inner.(driver.Peer); has {
			ok, err = p.CanAccess(innerDevice(peer))
		}
		return err
	})
	return ok, err
}

func (d fullDevice) EnableAccess(peer driver.Device) error {
	return d.call("Device.EnableAccess", nil, func() error {
		if p, has := d.inner.(driver.Peer); has {
			return p.EnableAccess(innerDevice(peer))
		}
		return unsupported("Device.EnableAccess")
	})
}

// WrapQueue implements driver.QueueWrapper, which all backends have.
func (d *device) WrapQueue(handle uintptr) (driver.Queue, error) {
	return make1(&d.object, "Device.WrapQueue", "q", nil, func() (driver.Queue, error) {
		if w, has := d.inner.(driver.QueueWrapper); has {
			return w.WrapQueue(handle)
		}
		return nil, unsupported("Device.WrapQueue")
	}, func(q driver.Queue, name string) driver.Queue { return wrapQueue(d.s, q, name) })
}

func (d fullDevice) RegisterHost(p unsafe.Pointer, n uint64) (driver.HostBuffer, error) {
	return make1(&d.object, "Device.RegisterHost", "h", sprint(n), func() (driver.HostBuffer, error) {
		if r, has := d.inner.(driver.HostRegisterer); has {
			return r.RegisterHost(p, n)
		}
		return nil, unsupported("Device.RegisterHost")
	}, d.s.hostBuffer)
}

// unsupported is the error of an optional interface that the inner object lacks
// while it has another of the same kind.
func unsupported(op string) error {
	return &driver.Error{Op: op, Name: "UNSUPPORTED", Class: driver.ErrUnsupported, Detail: "the decorated driver has no such call"}
}

func sprint(args ...any) func() string { return func() string { return fmt.Sprint(args...) } }

type buffer struct {
	object
	inner driver.Buffer
}

func (s *state) buffer(inner driver.Buffer, name string) driver.Buffer {
	return &buffer{object{s, name}, inner}
}

func innerBuffer(b driver.Buffer) driver.Buffer {
	if w, ok := b.(*buffer); ok {
		return w.inner
	}
	return b
}

// at is a place in a buffer as text.
func at(b driver.Buffer, off uint64) string {
	if w, ok := b.(*buffer); ok {
		return fmt.Sprintf("%s+%d", w.name, off)
	}
	return fmt.Sprintf("foreign+%d", off)
}

func (b *buffer) Bytes() uint64   { return b.inner.Bytes() }
func (b *buffer) Handle() uintptr { return b.inner.Handle() }

func (b *buffer) Place() (space uintptr, off uint64) { return b.inner.Place() }
func (b *buffer) Close() error                       { return b.end("Buffer.Close", b.inner.Close) }

type hostBuffer struct {
	object
	inner driver.HostBuffer
}

func (s *state) hostBuffer(inner driver.HostBuffer, name string) driver.HostBuffer {
	h := &hostBuffer{object{s, name}, inner}
	s.mu.Lock()
	s.host[h] = struct{}{}
	s.mu.Unlock()
	return h
}

func (h *hostBuffer) Bytes() uint64           { return h.inner.Bytes() }
func (h *hostBuffer) Pointer() unsafe.Pointer { return h.inner.Pointer() }

func (h *hostBuffer) Close() error {
	h.s.mu.Lock()
	delete(h.s.host, h)
	h.s.mu.Unlock()
	return h.end("HostBuffer.Close", h.inner.Close)
}
