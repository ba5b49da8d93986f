package cl

import (
	"encoding/binary"
	"strings"
	"unsafe"
)

// Info is the raw answer to one of the clGet…Info queries.
type Info []byte

// Uint reads the answer as a little-endian integer of its own width; an empty
// answer is 0.
func (i Info) Uint() uint64 {
	var b [8]byte
	copy(b[:], i)
	return binary.LittleEndian.Uint64(b[:])
}

// String reads the answer as C text, without surrounding space.
func (i Info) String() string {
	s, _, _ := strings.Cut(string(i), "\x00")
	return strings.TrimSpace(s)
}

// info asks fn of one handle; info2 of a handle and a device.
func (a *API) info(fn int, h uintptr, param uint32) (Info, Code) {
	var n uintptr
	if c := Code(a.call(fn, h, uintptr(param), 0, 0, uintptr(unsafe.Pointer(&n)))); c != Success || n == 0 {
		return nil, c
	}
	b := make(Info, n)
	c := Code(a.call(fn, h, uintptr(param), n, uintptr(unsafe.Pointer(&b[0])), 0))
	return b, c
}

func (a *API) info2(fn int, h uintptr, d Device, param uint32) (Info, Code) {
	var n uintptr
	if c := Code(a.call(fn, h, uintptr(d), uintptr(param), 0, 0, uintptr(unsafe.Pointer(&n)))); c != Success || n == 0 {
		return nil, c
	}
	b := make(Info, n)
	c := Code(a.call(fn, h, uintptr(d), uintptr(param), n, uintptr(unsafe.Pointer(&b[0])), 0))
	return b, c
}

// GetPlatformInfo is clGetPlatformInfo.
func (a *API) GetPlatformInfo(p Platform, param uint32) (Info, Code) {
	return a.info(fnGetPlatformInfo, uintptr(p), param)
}

// GetDeviceInfo is clGetDeviceInfo.
func (a *API) GetDeviceInfo(d Device, param uint32) (Info, Code) {
	return a.info(fnGetDeviceInfo, uintptr(d), param)
}

// GetMemObjectInfo is clGetMemObjectInfo.
func (a *API) GetMemObjectInfo(m Mem, param uint32) (Info, Code) {
	return a.info(fnGetMemObjectInfo, uintptr(m), param)
}

// GetCommandQueueInfo is clGetCommandQueueInfo.
func (a *API) GetCommandQueueInfo(q Queue, param uint32) (Info, Code) {
	return a.info(fnGetCommandQueueInfo, uintptr(q), param)
}

// GetProgramInfo is clGetProgramInfo, for all but the binaries.
func (a *API) GetProgramInfo(p Program, param uint32) (Info, Code) {
	return a.info(fnGetProgramInfo, uintptr(p), param)
}

// GetProgramBuildInfo is clGetProgramBuildInfo.
func (a *API) GetProgramBuildInfo(p Program, d Device, param uint32) (Info, Code) {
	return a.info2(fnGetProgramBuildInfo, uintptr(p), d, param)
}

// GetKernelInfo is clGetKernelInfo.
func (a *API) GetKernelInfo(k Kernel, param uint32) (Info, Code) {
	return a.info(fnGetKernelInfo, uintptr(k), param)
}

// GetKernelWorkGroupInfo is clGetKernelWorkGroupInfo.
func (a *API) GetKernelWorkGroupInfo(k Kernel, d Device, param uint32) (Info, Code) {
	return a.info2(fnGetKernelWorkGroupInfo, uintptr(k), d, param)
}

// EventStatus is clGetEventInfo for the execution status: Complete, a positive
// number while it is under way, or a negative Code.
func (a *API) EventStatus(e Event) (int32, Code) {
	var v int32
	c := Code(a.call(fnGetEventInfo, uintptr(e), EventCommandExecutionStatus, 4, uintptr(unsafe.Pointer(&v)), 0))
	return v, c
}

// GetEventProfilingInfo is clGetEventProfilingInfo: nanoseconds of the device's
// clock.
func (a *API) GetEventProfilingInfo(e Event, param uint32) (uint64, Code) {
	var v uint64
	c := Code(a.call(fnGetEventProfilingInfo, uintptr(e), uintptr(param), 8, uintptr(unsafe.Pointer(&v)), 0))
	return v, c
}

// ProgramBinary returns the binary of a program built for one device.
func (a *API) ProgramBinary(p Program) ([]byte, Code) {
	size, c := a.GetProgramInfo(p, ProgramBinarySizes)
	if c != Success || size.Uint() == 0 {
		return nil, c
	}
	b := make([]byte, size.Uint())
	ptrs := []unsafe.Pointer{unsafe.Pointer(&b[0])}
	c = Code(a.call(fnGetProgramInfo, uintptr(p), ProgramBinaries, unsafe.Sizeof(ptrs[0]), uintptr(unsafe.Pointer(&ptrs[0])), 0))
	return b, c
}
