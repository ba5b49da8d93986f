package cl

import (
	"runtime"
	"unsafe"
)

func flag(b bool) uintptr {
	if b {
		return 1
	}
	return 0
}

// SetKernelArg is clSetKernelArg; val is nil for local memory, else it points
// into a heap object.
func (a *API) SetKernelArg(k Kernel, i int, bytes uintptr, val unsafe.Pointer) Code {
	c := Code(a.direct(fnSetKernelArg, uintptr(k), uintptr(i), bytes, uintptr(val)))
	runtime.KeepAlive(val)
	return c
}

// EnqueueNDRangeKernel is clEnqueueNDRangeKernel in three dimensions, without
// an offset and events. global and local point into a heap object.
func (a *API) EnqueueNDRangeKernel(q Queue, k Kernel, global, local *[3]uintptr) Code {
	c := Code(a.direct(fnEnqueueNDRangeKernel, uintptr(q), uintptr(k), 3, 0,
		uintptr(unsafe.Pointer(global)), uintptr(unsafe.Pointer(local)), 0, 0, 0))
	runtime.KeepAlive(global)
	runtime.KeepAlive(local)
	return c
}

// EnqueueReadBuffer is clEnqueueReadBuffer.
func (a *API) EnqueueReadBuffer(q Queue, m Mem, blocking bool, off, n uint64, dst unsafe.Pointer) Code {
	return Code(a.call(fnEnqueueReadBuffer, uintptr(q), uintptr(m), flag(blocking), uintptr(off), uintptr(n), uintptr(dst), 0, 0, 0))
}

// EnqueueWriteBuffer is clEnqueueWriteBuffer.
func (a *API) EnqueueWriteBuffer(q Queue, m Mem, blocking bool, off, n uint64, src unsafe.Pointer) Code {
	return Code(a.call(fnEnqueueWriteBuffer, uintptr(q), uintptr(m), flag(blocking), uintptr(off), uintptr(n), uintptr(src), 0, 0, 0))
}

// EnqueueCopyBuffer is clEnqueueCopyBuffer.
func (a *API) EnqueueCopyBuffer(q Queue, src, dst Mem, srcOff, dstOff, n uint64) Code {
	return Code(a.direct(fnEnqueueCopyBuffer, uintptr(q), uintptr(src), uintptr(dst), uintptr(srcOff), uintptr(dstOff), uintptr(n), 0, 0, 0))
}

// EnqueueFillBuffer is clEnqueueFillBuffer with a 32-bit pattern; pattern points
// into a heap object and is read before it returns.
func (a *API) EnqueueFillBuffer(q Queue, m Mem, pattern *uint32, off, n uint64) Code {
	c := Code(a.direct(fnEnqueueFillBuffer, uintptr(q), uintptr(m), uintptr(unsafe.Pointer(pattern)), 4, uintptr(off), uintptr(n), 0, 0, 0))
	runtime.KeepAlive(pattern)
	return c
}

// EnqueueMapBuffer is clEnqueueMapBuffer, waiting until the memory is mapped.
func (a *API) EnqueueMapBuffer(q Queue, m Mem, flags uint64, off, n uint64) (unsafe.Pointer, Code) {
	var c int32
	r := a.call(fnEnqueueMapBuffer, uintptr(q), uintptr(m), 1, uintptr(flags), uintptr(off), uintptr(n), 0, 0, 0, uintptr(unsafe.Pointer(&c)))
	// The address is the C library's; read it as a pointer through its own place.
	return *(*unsafe.Pointer)(unsafe.Pointer(&r)), Code(c)
}

// EnqueueUnmapMemObject is clEnqueueUnmapMemObject.
func (a *API) EnqueueUnmapMemObject(q Queue, m Mem, p unsafe.Pointer) Code {
	return Code(a.call(fnEnqueueUnmapMemObject, uintptr(q), uintptr(m), uintptr(p), 0, 0, 0))
}

// EnqueueMigrateMemObject is clEnqueueMigrateMemObjects for one object.
func (a *API) EnqueueMigrateMemObject(q Queue, m Mem, flags uint64) Code {
	return Code(a.call(fnEnqueueMigrateMemObjects, uintptr(q), 1, uintptr(unsafe.Pointer(&m)), uintptr(flags), 0, 0, 0))
}

// EnqueueMarker is clEnqueueMarkerWithWaitList after everything before it.
func (a *API) EnqueueMarker(q Queue) (Event, Code) {
	var e Event
	c := Code(a.call(fnEnqueueMarkerWithWaitList, uintptr(q), 0, 0, uintptr(unsafe.Pointer(&e))))
	return e, c
}

// EnqueueBarrier is clEnqueueBarrierWithWaitList on one event.
func (a *API) EnqueueBarrier(q Queue, e Event) Code {
	return Code(a.call(fnEnqueueBarrierWithWaitList, uintptr(q), 1, uintptr(unsafe.Pointer(&e)), 0))
}

// WaitForEvent is clWaitForEvents for one event.
func (a *API) WaitForEvent(e Event) Code {
	return Code(a.call(fnWaitForEvents, 1, uintptr(unsafe.Pointer(&e))))
}

// Flush is clFlush.
func (a *API) Flush(q Queue) Code { return Code(a.direct(fnFlush, uintptr(q))) }

// Finish is clFinish.
func (a *API) Finish(q Queue) Code { return Code(a.direct(fnFinish, uintptr(q))) }

// EnqueueFillBufferEvent is EnqueueFillBuffer that returns the command's event.
func (a *API) EnqueueFillBufferEvent(q Queue, m Mem, pattern *uint32, off, n uint64) (Event, Code) {
	var e Event
	c := Code(a.call(fnEnqueueFillBuffer, uintptr(q), uintptr(m), uintptr(unsafe.Pointer(pattern)), 4, uintptr(off), uintptr(n), 0, 0, uintptr(unsafe.Pointer(&e))))
	return e, c
}
