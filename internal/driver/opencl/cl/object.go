package cl

import "unsafe"

// GetPlatformIDs lists the platforms.
func (a *API) GetPlatformIDs() ([]Platform, Code) {
	var n uint32
	if c := Code(a.call(fnGetPlatformIDs, 0, 0, uintptr(unsafe.Pointer(&n)))); c != Success || n == 0 {
		return nil, c
	}
	ids := make([]Platform, n)
	c := Code(a.call(fnGetPlatformIDs, uintptr(n), uintptr(unsafe.Pointer(&ids[0])), 0))
	return ids, c
}

// GetDeviceIDs lists the devices of the given types.
func (a *API) GetDeviceIDs(p Platform, types uint64) ([]Device, Code) {
	var n uint32
	if c := Code(a.call(fnGetDeviceIDs, uintptr(p), uintptr(types), 0, 0, uintptr(unsafe.Pointer(&n)))); c != Success || n == 0 {
		return nil, c
	}
	ids := make([]Device, n)
	c := Code(a.call(fnGetDeviceIDs, uintptr(p), uintptr(types), uintptr(n), uintptr(unsafe.Pointer(&ids[0])), 0))
	return ids, c
}

// CreateContext makes a context of one device.
func (a *API) CreateContext(p Platform, d Device) (Context, Code) {
	var c int32
	props := [3]uintptr{ContextPlatform, uintptr(p), 0}
	h := a.call(fnCreateContext, uintptr(unsafe.Pointer(&props)), 1, uintptr(unsafe.Pointer(&d)), 0, 0, uintptr(unsafe.Pointer(&c)))
	return Context(h), Code(c)
}

// ReleaseContext is clReleaseContext.
func (a *API) ReleaseContext(x Context) Code { return Code(a.call(fnReleaseContext, uintptr(x))) }

// CreateCommandQueue is clCreateCommandQueue.
func (a *API) CreateCommandQueue(x Context, d Device, props uint64) (Queue, Code) {
	var c int32
	h := a.call(fnCreateCommandQueue, uintptr(x), uintptr(d), uintptr(props), uintptr(unsafe.Pointer(&c)))
	return Queue(h), Code(c)
}

// ReleaseCommandQueue is clReleaseCommandQueue.
func (a *API) ReleaseCommandQueue(q Queue) Code {
	return Code(a.call(fnReleaseCommandQueue, uintptr(q)))
}

// CreateBuffer is clCreateBuffer without a host pointer.
func (a *API) CreateBuffer(x Context, flags uint64, bytes uint64) (Mem, Code) {
	var c int32
	h := a.call(fnCreateBuffer, uintptr(x), uintptr(flags), uintptr(bytes), 0, uintptr(unsafe.Pointer(&c)))
	return Mem(h), Code(c)
}

// RetainMemObject is clRetainMemObject.
func (a *API) RetainMemObject(m Mem) Code { return Code(a.call(fnRetainMemObject, uintptr(m))) }

// ReleaseMemObject is clReleaseMemObject.
func (a *API) ReleaseMemObject(m Mem) Code { return Code(a.call(fnReleaseMemObject, uintptr(m))) }

// CreateProgramWithSource makes a program of one source text, which is not
// empty.
func (a *API) CreateProgramWithSource(x Context, src []byte) (Program, Code) {
	var c int32
	n := uintptr(len(src))
	ptrs := []unsafe.Pointer{unsafe.Pointer(&src[0])}
	h := a.call(fnCreateProgramWithSource, uintptr(x), 1, uintptr(unsafe.Pointer(&ptrs[0])),
		uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&c)))
	return Program(h), Code(c)
}

// CreateProgramWithBinary makes a program of one device's binary, which is not
// empty.
func (a *API) CreateProgramWithBinary(x Context, d Device, bin []byte) (Program, Code) {
	var c, status int32
	n := uintptr(len(bin))
	ptrs := []unsafe.Pointer{unsafe.Pointer(&bin[0])}
	h := a.call(fnCreateProgramWithBinary, uintptr(x), 1, uintptr(unsafe.Pointer(&d)), uintptr(unsafe.Pointer(&n)),
		uintptr(unsafe.Pointer(&ptrs[0])), uintptr(unsafe.Pointer(&status)), uintptr(unsafe.Pointer(&c)))
	if h != 0 && Code(status) != Success {
		a.ReleaseProgram(Program(h))
		return 0, Code(status)
	}
	return Program(h), Code(c)
}

// BuildProgram is clBuildProgram, waiting for the result.
func (a *API) BuildProgram(p Program, d Device, options string) Code {
	o := append([]byte(options), 0)
	return Code(a.call(fnBuildProgram, uintptr(p), 1, uintptr(unsafe.Pointer(&d)), uintptr(unsafe.Pointer(&o[0])), 0, 0))
}

// ReleaseProgram is clReleaseProgram.
func (a *API) ReleaseProgram(p Program) Code { return Code(a.call(fnReleaseProgram, uintptr(p))) }

// CreateKernel is clCreateKernel.
func (a *API) CreateKernel(p Program, name string) (Kernel, Code) {
	var c int32
	s := append([]byte(name), 0)
	h := a.call(fnCreateKernel, uintptr(p), uintptr(unsafe.Pointer(&s[0])), uintptr(unsafe.Pointer(&c)))
	return Kernel(h), Code(c)
}

// ReleaseKernel is clReleaseKernel.
func (a *API) ReleaseKernel(k Kernel) Code { return Code(a.call(fnReleaseKernel, uintptr(k))) }

// ReleaseEvent is clReleaseEvent.
func (a *API) ReleaseEvent(e Event) Code { return Code(a.call(fnReleaseEvent, uintptr(e))) }
