package opencl

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

// buffer implements driver.Buffer.
type buffer struct {
	d     *device
	bytes uint64
	mem   atomic.Uintptr // a cl_mem with one reference that is ours; 0 once closed
	space cl.Mem         // the allocation: mem, or what it is a sub-buffer of
	off   uint64         // in space
}

// Alloc makes a buffer and has the device back it with memory at once: vendors
// put that off until first use, where a shortage is harder to tell from a
// crash. OpenCL knows no empty buffers; 0 bytes take 1.
func (d *device) Alloc(bytes uint64) (driver.Buffer, error) {
	if err := d.enter("clCreateBuffer"); err != nil {
		return nil, err
	}
	defer d.leave()
	m, err := d.create(cl.MemReadWrite, bytes)
	if err != nil {
		return nil, err
	}
	d.internalUse.Lock()
	c := d.api.EnqueueMigrateMemObject(d.internal, m, cl.MigrateContentUndefined)
	op := "clEnqueueMigrateMemObjects"
	if c == cl.Success {
		c = d.api.Finish(d.internal)
	}
	d.internalUse.Unlock()
	if c != cl.Success {
		d.api.ReleaseMemObject(m)
		return nil, d.err(op, c, d.sizes(bytes))
	}
	return d.newBuffer(m, bytes), nil
}

func (d *device) create(flags, bytes uint64) (cl.Mem, error) {
	if bytes > d.info.caps.GlobalBytes {
		return 0, d.err("clCreateBuffer", cl.InvalidBufferSize, d.sizes(bytes))
	}
	m, c := d.api.CreateBuffer(d.ctx, flags, max(bytes, 1))
	if c != cl.Success {
		return 0, d.err("clCreateBuffer", c, d.sizes(bytes))
	}
	return m, nil
}

func (d *device) newBuffer(m cl.Mem, bytes uint64) *buffer {
	b := &buffer{d: d, bytes: bytes, space: m}
	b.mem.Store(uintptr(m))
	d.adopt(b)
	return b
}

// Wrap makes a Buffer of a cl_mem, which must be of this device's context, and
// holds a reference to it until it is closed.
func (d *device) Wrap(handle uintptr, bytes uint64) (driver.Buffer, error) {
	if handle == 0 {
		return nil, d.err("clRetainMemObject", cl.InvalidMemObject, "the cl_mem is 0; give a buffer's handle")
	}
	if err := d.enter("clRetainMemObject"); err != nil {
		return nil, err
	}
	defer d.leave()
	m := cl.Mem(handle)
	ctx, c := d.api.GetMemObjectInfo(m, cl.MemContext)
	if c != cl.Success {
		return nil, d.err("clGetMemObjectInfo", c, "the handle is no cl_mem")
	}
	if cl.Context(ctx.Uint()) != d.ctx {
		return nil, d.err("clGetMemObjectInfo", cl.InvalidMemObject,
			"the cl_mem belongs to another context; OpenCL shares no memory between contexts: copy through host memory")
	}
	size, c := d.api.GetMemObjectInfo(m, cl.MemSize)
	if c != cl.Success {
		return nil, d.err("clGetMemObjectInfo", c, "")
	}
	if size.Uint() < bytes {
		return nil, d.err("clGetMemObjectInfo", cl.InvalidBufferSize,
			fmt.Sprintf("the cl_mem has %d bytes, fewer than the %d named", size.Uint(), bytes))
	}
	if err := d.check("clRetainMemObject", d.api.RetainMemObject(m)); err != nil {
		return nil, err
	}
	b := d.newBuffer(m, bytes)
	// OpenCL before 1.1 knows no sub-buffers, nor these questions.
	if parent, c := d.api.GetMemObjectInfo(m, cl.MemParent); c == cl.Success && parent.Uint() != 0 {
		if off, c := d.api.GetMemObjectInfo(m, cl.MemOffset); c == cl.Success {
			b.space, b.off = cl.Mem(parent.Uint()), off.Uint()
		}
	}
	return b, nil
}

// Place implements driver.Buffer.
func (b *buffer) Place() (space uintptr, off uint64) { return uintptr(b.space), b.off }

func (b *buffer) Bytes() uint64   { return b.bytes }
func (b *buffer) Handle() uintptr { return b.mem.Load() }
func (b *buffer) Close() error    { return b.d.drop(b) }

func (b *buffer) release() error {
	return b.d.check("clReleaseMemObject", b.d.api.ReleaseMemObject(cl.Mem(b.mem.Swap(0))))
}

// hostRange is the address range of a hostBuffer.
type hostRange struct{ lo, hi uintptr }

// hostBuffer implements driver.HostBuffer: a buffer that the vendor places in
// page-locked memory, mapped for as long as it lives.
type hostBuffer struct {
	d     *device
	bytes uint64
	mem   cl.Mem
	ptr   atomic.Pointer[byte]
}

func (d *device) AllocHost(bytes uint64) (driver.HostBuffer, error) {
	if err := d.enter("clCreateBuffer"); err != nil {
		return nil, err
	}
	defer d.leave()
	m, err := d.create(cl.MemReadWrite|cl.MemAllocHostPtr, bytes)
	if err != nil {
		return nil, err
	}
	d.internalUse.Lock()
	p, c := d.api.EnqueueMapBuffer(d.internal, m, cl.MapRead|cl.MapWrite, 0, max(bytes, 1))
	d.internalUse.Unlock()
	if c != cl.Success {
		d.api.ReleaseMemObject(m)
		return nil, d.err("clEnqueueMapBuffer", c, d.sizes(bytes))
	}
	h := &hostBuffer{d: d, bytes: bytes, mem: m}
	h.ptr.Store((*byte)(p))
	d.mu.Lock()
	d.live[h] = struct{}{}
	d.host = append(d.host, hostRange{uintptr(p), uintptr(p) + uintptr(bytes)})
	d.mu.Unlock()
	return h, nil
}

// pinned reports whether n bytes at p lie in one of the device's host buffers.
func (d *device) pinned(p unsafe.Pointer, n uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.host {
		if uintptr(p) >= r.lo && uintptr(p)+uintptr(n) <= r.hi {
			return true
		}
	}
	return false
}

func (h *hostBuffer) Bytes() uint64 { return h.bytes }

func (h *hostBuffer) Pointer() unsafe.Pointer {
	if h.bytes == 0 {
		return nil
	}
	return unsafe.Pointer(h.ptr.Load())
}

func (h *hostBuffer) Close() error { return h.d.drop(h) }

func (h *hostBuffer) release() error {
	d := h.d
	p := unsafe.Pointer(h.ptr.Swap(nil))
	d.mu.Lock()
	d.host = slices.DeleteFunc(d.host, func(r hostRange) bool { return r.lo == uintptr(p) })
	d.mu.Unlock()
	d.internalUse.Lock()
	c := d.api.EnqueueUnmapMemObject(d.internal, h.mem, p)
	if c == cl.Success {
		c = d.api.Finish(d.internal)
	}
	d.internalUse.Unlock()
	err := d.check("clEnqueueUnmapMemObject", c)
	if err2 := d.check("clReleaseMemObject", d.api.ReleaseMemObject(h.mem)); err == nil {
		err = err2
	}
	return err
}
