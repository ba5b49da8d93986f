//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cu

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// MaxArgs is the number of kernel arguments that a Frame has room for.
const MaxArgs = 64

// Frame holds the argument lists of the calls that are made over and over, so
// that these allocate nothing. One goroutine uses it at a time. A Frame lies on
// the heap, where Go moves nothing, and so may be pointed to from within itself
// and by the driver during a call.
type Frame struct {
	l      *Lib
	args   [11]uintptr
	vals   [MaxArgs]uint64
	params [MaxArgs]uintptr // addresses of vals: kernelParams
	config launchConfig
	attrs  [3]launchAttribute
	out    uintptr
}

// launchConfig is CUlaunchConfig.
type launchConfig struct {
	grid, block [3]uint32
	shared      uint32
	stream      Stream
	attrs       uintptr
	numAttrs    uint32
}

// launchAttribute is CUlaunchAttribute: the union is 64 bytes, aligned to 8.
type launchAttribute struct {
	id    int32
	_     int32
	value [16]uint32
}

// The launch attributes that are used.
const (
	attrCooperative = 2
	attrOverlap     = 6 // programmatic stream serialization
)

// NewFrame returns a Frame for calls of l.
//
//go:noinline
func NewFrame(l *Lib) *Frame {
	f := &Frame{l: l}
	for i := range f.vals {
		f.params[i] = uintptr(unsafe.Pointer(&f.vals[i]))
	}
	f.config.attrs = uintptr(unsafe.Pointer(&f.attrs))
	return f
}

func (f *Frame) do(s sym, n int) Result {
	r, _, _ := purego.SyscallN(f.l.fn[s], f.args[:n]...)
	runtime.KeepAlive(f)
	return Result(int32(r))
}

func (f *Frame) do3(s sym, a, b, c uintptr) Result {
	f.args[0], f.args[1], f.args[2] = a, b, c
	return f.do(s, 3)
}

func (f *Frame) do4(s sym, a, b, c, d uintptr) Result {
	f.args[0], f.args[1], f.args[2], f.args[3] = a, b, c, d
	return f.do(s, 4)
}

// CtxSetCurrent makes c current on this thread; 0 makes none current.
func (f *Frame) CtxSetCurrent(c Context) Result {
	f.args[0] = uintptr(c)
	return f.do(symCtxSetCurrent, 1)
}

// CtxGetCurrent returns the context that is current on this thread, or 0.
func (f *Frame) CtxGetCurrent() (Context, Result) {
	f.out = 0
	f.args[0] = uintptr(unsafe.Pointer(&f.out))
	r := f.do(symCtxGetCurrent, 1)
	return Context(f.out), r
}

// MemcpyHtoDAsync copies from host memory that stays alive until the copy is
// done, or, if it is not page-locked, until the call returns.
func (f *Frame) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, n uint64, s Stream) Result {
	r := f.do4(symMemcpyHtoDAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
	runtime.KeepAlive(src)
	return r
}

// MemcpyDtoHAsync copies to host memory.
func (f *Frame) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, n uint64, s Stream) Result {
	r := f.do4(symMemcpyDtoHAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
	runtime.KeepAlive(dst)
	return r
}

// MemcpyDtoDAsync copies within a device.
func (f *Frame) MemcpyDtoDAsync(dst, src DevicePtr, n uint64, s Stream) Result {
	return f.do4(symMemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
}

// MemcpyPeerAsync copies between contexts.
func (f *Frame) MemcpyPeerAsync(dst DevicePtr, dc Context, src DevicePtr, sc Context, n uint64, s Stream) Result {
	f.args[4], f.args[5] = uintptr(n), uintptr(s)
	f.args[0], f.args[1], f.args[2], f.args[3] = uintptr(dst), uintptr(dc), uintptr(src), uintptr(sc)
	return f.do(symMemcpyPeerAsync, 6)
}

// MemsetD32Async sets n words.
func (f *Frame) MemsetD32Async(p DevicePtr, v uint32, n uint64, s Stream) Result {
	return f.do4(symMemsetD32Async, uintptr(p), uintptr(v), uintptr(n), uintptr(s))
}

// MemsetD8Async sets n bytes.
func (f *Frame) MemsetD8Async(p DevicePtr, v uint8, n uint64, s Stream) Result {
	return f.do4(symMemsetD8Async, uintptr(p), uintptr(v), uintptr(n), uintptr(s))
}

// EventRecord records e in s.
func (f *Frame) EventRecord(e Event, s Stream) Result {
	f.args[0], f.args[1] = uintptr(e), uintptr(s)
	return f.do(symEventRecord, 2)
}

// StreamWaitEvent makes later work of s wait for e.
func (f *Frame) StreamWaitEvent(s Stream, e Event) Result {
	return f.do3(symStreamWaitEvent, uintptr(s), uintptr(e), 0)
}

// GraphLaunch launches x in s.
func (f *Frame) GraphLaunch(x GraphExec, s Stream) Result {
	f.args[0], f.args[1] = uintptr(x), uintptr(s)
	return f.do(symGraphLaunch, 2)
}

// StreamSynchronize waits for s.
func (f *Frame) StreamSynchronize(s Stream) Result {
	f.args[0] = uintptr(s)
	return f.do(symStreamSynchronize, 1)
}

// EventSynchronize waits for e.
func (f *Frame) EventSynchronize(e Event) Result {
	f.args[0] = uintptr(e)
	return f.do(symEventSynchronize, 1)
}

// EventElapsedTime returns the milliseconds between two completed events.
func (f *Frame) EventElapsedTime(from, to Event) (ms float32, r Result) {
	f.out = 0
	r = f.do3(symEventElapsedTime, uintptr(unsafe.Pointer(&f.out)), uintptr(from), uintptr(to))
	return *(*float32)(unsafe.Pointer(&f.out)), r
}
