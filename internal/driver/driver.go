// Package driver defines what a compute backend offers, as nouns: a Driver has
// Devices; a Device has Queues, Buffers and Modules; a Module has Kernels.
// Implementations are in sub-packages; internal/driver/drivertest holds the
// conformance suite that each of them must pass.
//
// Lifetimes: whoever creates a value closes it, exactly once; a second Close is
// a no-op that returns nil. Closing a Device releases what it still owns.
// Everything is safe for use by several goroutines at once except a Queue,
// which one goroutine uses at a time. Every error is, or wraps, an *Error.
package driver

import "unsafe"

// A Driver is one backend on this machine.
type Driver interface {
	// Name is the backend's name in flags and case IDs: "cuda", "opencl".
	Name() string
	// Devices lists the devices. It loads the vendor's library on first use
	// and returns ErrNoDevice when the library or every device is absent; the
	// error says which and what to install.
	Devices() ([]Device, error)
}

// A Device is one accelerator. Listing a device costs nothing on it; its
// context is made by the first call that needs one.
type Device interface {
	// Caps returns limits and features. It makes no context.
	Caps() Caps
	// NewQueue makes an in-order queue.
	NewQueue() (Queue, error)
	// Alloc reserves device memory of any size from 0 bytes, aligned to at
	// least Caps.BufferAlign. Its contents are undefined.
	Alloc(bytes uint64) (Buffer, error)
	// AllocHost reserves page-locked host memory that copies asynchronously.
	AllocHost(bytes uint64) (HostBuffer, error)
	// Wrap makes a Buffer of device memory that somebody else owns: a CUdeviceptr
	// or a cl_mem. Closing it releases nothing of the owner's.
	Wrap(handle uintptr, bytes uint64) (Buffer, error)
	// LoadModule loads the first image that this device can run, in the order
	// given. Loading the same image twice returns the cached module.
	LoadModule(images []Image) (Module, error)
	// Mem returns free and total device memory in bytes. A backend that cannot
	// tell what is free returns the total for both.
	Mem() (free, total uint64, err error)
	// Close releases the context and whatever is left in it.
	Close() error
}

// A Queue runs work in order. No method but Synchronize, Event.Wait and copies
// of ordinary host memory waits for the device.
type Queue interface {
	// Memset fills bytes at off with the repeated 32-bit pattern. off and n are
	// multiples of 4.
	Memset(b Buffer, off uint64, pattern uint32, n uint64) error
	// CopyIn copies n bytes from host memory. src stays alive and unchanged
	// until the queue is synchronised if it lies in a HostBuffer; ordinary
	// memory may be reused when the call returns.
	CopyIn(dst Buffer, off uint64, src unsafe.Pointer, n uint64) error
	// CopyOut copies n bytes to host memory, which is complete after the next
	// Synchronize.
	CopyOut(dst unsafe.Pointer, src Buffer, off uint64, n uint64) error
	// Copy copies between two buffers of this device. Ranges do not overlap.
	Copy(dst Buffer, dstOff uint64, src Buffer, srcOff uint64, n uint64) error
	// Launch starts a kernel.
	Launch(k Kernel, l Launch) error
	// Record makes an event that completes when all work before it has.
	Record() (Event, error)
	// Wait holds back later work of this queue until e, of any queue of the
	// same device, has completed.
	Wait(e Event) error
	// Synchronize blocks until all work is done and reports a failure of any.
	Synchronize() error
	Close() error
}

// An Event is a point in a queue.
type Event interface {
	// Wait blocks until the event has completed.
	Wait() error
	// Done reports without blocking whether the event has completed.
	Done() (bool, error)
	// Since returns the device time from start to this event in nanoseconds.
	// Both must have completed.
	Since(start Event) (int64, error)
	Close() error
}

// A Buffer is device memory.
type Buffer interface {
	// Bytes is the size given at allocation.
	Bytes() uint64
	// Handle is the CUdeviceptr or cl_mem.
	Handle() uintptr
	// Place is where the buffer begins: an address space or allocation of the device,
	// and an offset in it. Buffers of one device have bytes in common only where
	// spaces are the same and ranges overlap.
	Place() (space uintptr, off uint64)
	Close() error
}

// A HostBuffer is page-locked host memory.
type HostBuffer interface {
	Bytes() uint64
	// Pointer is the first byte; nil if the size is 0.
	Pointer() unsafe.Pointer
	Close() error
}

// A Module is loaded device code. It lives as long as its Device.
type Module interface {
	// Kernel finds an entry point. The same name gives the same Kernel.
	Kernel(name string) (Kernel, error)
}

// A Kernel is an entry point of a module.
type Kernel interface {
	Name() string
	// Attributes are what the compiler and the device say of the kernel.
	Attributes() (Attributes, error)
}

// Attributes describe a compiled kernel on its device. A backend that cannot
// tell a field leaves it 0.
type Attributes struct {
	Registers          int // per thread
	SharedBytes        int // static
	LocalBytes         int // per thread: spills and stack
	MaxThreadsPerBlock int
	WarpSize           int // preferred work-group multiple
}

// Dim is a three-dimensional extent; a zero counts as 1.
type Dim struct{ X, Y, Z uint32 }

// Launch is the geometry and the arguments of one kernel launch.
type Launch struct {
	Grid        Dim    // blocks (work-groups)
	Block       Dim    // threads per block (work-items per group)
	SharedBytes uint32 // dynamic shared (local) memory
	Cooperative bool   // all blocks resident at once, grid barriers allowed
	// Overlap lets the blocks start before the kernel before has finished; the
	// kernel itself waits (griddepcontrol.wait) before it touches what that
	// kernel wrote. Backends that cannot start early ignore it.
	Overlap bool
	Args    []Arg
}

// Arg is one kernel argument: a place in a buffer if Buf is set, else the low
// Size bytes of Val. On CUDA a buffer argument is one pointer, Off already
// added; on OpenCL it is two parameters, the cl_mem and the byte offset as a
// ulong, so that any offset works without sub-buffers. A dynamic local-memory
// argument on OpenCL is Launch.SharedBytes, passed last as a __local ulong pointer
// if SharedBytes is not 0 (NVIDIA aligns local memory by the parameter's type,
// so a uchar pointer would fault on wider accesses).
type Arg struct {
	Buf  Buffer
	Off  uint64
	Val  uint64
	Size uint8 // 1, 2, 4 or 8 for values
}

// Format says what an Image holds.
type Format uint8

// The image formats.
const (
	Cubin   Format = iota // machine code for compute capability Arch
	PTX                   // PTX for compute capability Arch and newer
	OpenCLC               // OpenCL C source
)

// Image is device code.
type Image struct {
	Name    string // module name, for errors and the cache
	Format  Format
	Arch    int    // CUDA compute capability times ten: 90
	Options string // build options for OpenCL C
	Data    []byte
	Hash    string // SHA-256 of sources and options, hexadecimal: the cache key
}
