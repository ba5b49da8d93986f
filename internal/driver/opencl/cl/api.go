// Package cl binds the part of OpenCL 1.2 that the driver needs. The vendor's
// library is loaded at run time, without cgo, by Load; nothing is loaded by
// importing the package. The functions have the C names without "cl", take the
// C arguments in the C order and return the C status; who owns what is as in
// the OpenCL specification.
//
// Pointers handed to a function must stay valid until it returns; for
// non-blocking copies until the command has completed. Go memory that is passed
// is kept alive, and at its place, during the call.
package cl

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// The handles of OpenCL. Zero is no object.
type (
	Platform uintptr
	Device   uintptr
	Context  uintptr
	Queue    uintptr
	Mem      uintptr
	Program  uintptr
	Kernel   uintptr
	Event    uintptr
)

// LibraryEnv is the environment variable that overrides the library's path.
const LibraryEnv = "GPUSORT_LIBOPENCL"

// ErrBuiltWithout is Load's error in programs that cannot load libraries.
var ErrBuiltWithout = errors.New("this program was built without GPU support: with the build tag nogpu, or for a platform that has none")

// API is a loaded OpenCL library. Its methods are safe for use by several
// goroutines, with the exceptions that OpenCL makes: SetKernelArg and
// EnqueueNDRangeKernel of one kernel.
type API struct {
	path   string
	fn     [fnCount]uintptr
	serial *sync.Mutex // nil: calls may overlap
}

// Path is the library as it was found.
func (a *API) Path() string { return a.path }

// Serialize lets no two calls overlap from now on: for vendors that are not
// thread-safe, against the specification, and run commands in the calling
// thread. Call it before the API is shared.
func (a *API) Serialize() {
	if a.serial == nil {
		a.serial = new(sync.Mutex)
	}
}

// Load loads the OpenCL library: the one that $GPUSORT_LIBOPENCL names, else
// the system's. It fails if the library or one of its functions is absent.
func Load() (*API, error) {
	paths := libraryPaths
	if p := os.Getenv(LibraryEnv); p != "" {
		paths = []string{p}
	}
	if !canLoad {
		return nil, ErrBuiltWithout
	}
	var errs []error
	for _, p := range paths {
		lib, err := open(p)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		a := &API{path: p}
		for i, name := range fnNames {
			a.fn[i], err = symbol(lib, name)
			if err != nil {
				return nil, fmt.Errorf("%s has no %s; OpenCL 1.2 or newer is needed: %w", p, name, err)
			}
		}
		return a, nil
	}
	return nil, errors.Join(errs...)
}

// Indices into API.fn; fnNames has the same order.
const (
	fnGetPlatformIDs = iota
	fnGetPlatformInfo
	fnGetDeviceIDs
	fnGetDeviceInfo
	fnCreateContext
	fnReleaseContext
	fnCreateCommandQueue
	fnReleaseCommandQueue
	fnGetCommandQueueInfo
	fnCreateBuffer
	fnRetainMemObject
	fnReleaseMemObject
	fnGetMemObjectInfo
	fnCreateProgramWithSource
	fnCreateProgramWithBinary
	fnBuildProgram
	fnGetProgramInfo
	fnGetProgramBuildInfo
	fnReleaseProgram
	fnCreateKernel
	fnGetKernelInfo
	fnGetKernelWorkGroupInfo
	fnSetKernelArg
	fnReleaseKernel
	fnEnqueueNDRangeKernel
	fnEnqueueReadBuffer
	fnEnqueueWriteBuffer
	fnEnqueueCopyBuffer
	fnEnqueueFillBuffer
	fnEnqueueMapBuffer
	fnEnqueueUnmapMemObject
	fnEnqueueMigrateMemObjects
	fnEnqueueMarkerWithWaitList
	fnEnqueueBarrierWithWaitList
	fnWaitForEvents
	fnGetEventInfo
	fnGetEventProfilingInfo
	fnReleaseEvent
	fnFlush
	fnFinish
	fnCount
)

var fnNames = [fnCount]string{
	"clGetPlatformIDs",
	"clGetPlatformInfo",
	"clGetDeviceIDs",
	"clGetDeviceInfo",
	"clCreateContext",
	"clReleaseContext",
	"clCreateCommandQueue",
	"clReleaseCommandQueue",
	"clGetCommandQueueInfo",
	"clCreateBuffer",
	"clRetainMemObject",
	"clReleaseMemObject",
	"clGetMemObjectInfo",
	"clCreateProgramWithSource",
	"clCreateProgramWithBinary",
	"clBuildProgram",
	"clGetProgramInfo",
	"clGetProgramBuildInfo",
	"clReleaseProgram",
	"clCreateKernel",
	"clGetKernelInfo",
	"clGetKernelWorkGroupInfo",
	"clSetKernelArg",
	"clReleaseKernel",
	"clEnqueueNDRangeKernel",
	"clEnqueueReadBuffer",
	"clEnqueueWriteBuffer",
	"clEnqueueCopyBuffer",
	"clEnqueueFillBuffer",
	"clEnqueueMapBuffer",
	"clEnqueueUnmapMemObject",
	"clEnqueueMigrateMemObjects",
	"clEnqueueMarkerWithWaitList",
	"clEnqueueBarrierWithWaitList",
	"clWaitForEvents",
	"clGetEventInfo",
	"clGetEventProfilingInfo",
	"clReleaseEvent",
	"clFlush",
	"clFinish",
}

// frame holds the arguments of one call: 12 are the most that a bound function
// takes (clEnqueueMapBuffer has 10). Frames are pooled so that a call allocates
// nothing.
type frame [12]uintptr

var frames = sync.Pool{New: func() any { return new(frame) }}

// call invokes function i. The pragma moves what the pointers among args point
// to to the heap and keeps it alive until call returns, at the price of an
// allocation for args.
//
//go:uintptrescapes
func (a *API) call(i int, args ...uintptr) uintptr { return a.direct(i, args...) }

// direct is call for arguments without pointers, or with pointers to memory
// that is on the heap anyway and that the caller keeps alive. It allocates
// nothing.
func (a *API) direct(i int, args ...uintptr) uintptr {
	f := frames.Get().(*frame)
	n := copy(f[:], args)
	if a.serial != nil {
		a.serial.Lock()
		defer a.serial.Unlock()
	}
	r := invoke(a.fn[i], f[:n])
	frames.Put(f)
	return r
}
