//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cu

import "unsafe"

// DevicePtr is a CUdeviceptr.
type DevicePtr uintptr

// MemGetInfo returns free and total bytes of the current device.
func (l *Lib) MemGetInfo() (free, total uint64, r Result) {
	r = l.call(symMemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, r
}

// MemAlloc reserves device memory, aligned to 256 bytes.
func (l *Lib) MemAlloc(bytes uint64) (p DevicePtr, r Result) {
	r = l.call(symMemAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes))
	return p, r
}

// MemFree frees what MemAlloc gave, after all work that may use it.
func (l *Lib) MemFree(p DevicePtr) Result { return l.call(symMemFree, uintptr(p)) }

// Portable makes page-locked memory known to all contexts
// (CU_MEMHOSTALLOC_PORTABLE and CU_MEMHOSTREGISTER_PORTABLE).
const Portable = 1

// MemHostAlloc reserves page-locked host memory.
func (l *Lib) MemHostAlloc(bytes uint64, flags uint32) (p unsafe.Pointer, r Result) {
	r = l.call(symMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes), uintptr(flags))
	return p, r
}

// MemFreeHost frees what MemHostAlloc gave.
func (l *Lib) MemFreeHost(p unsafe.Pointer) Result { return l.call(symMemFreeHost, uintptr(p)) }

// MemHostRegister page-locks the caller's memory.
func (l *Lib) MemHostRegister(p unsafe.Pointer, bytes uint64, flags uint32) Result {
	return l.call(symMemHostRegister, uintptr(p), uintptr(bytes), uintptr(flags))
}

// MemHostUnregister undoes MemHostRegister.
func (l *Lib) MemHostUnregister(p unsafe.Pointer) Result {
	return l.call(symMemHostUnregister, uintptr(p))
}

// MemGetAddressRange returns the allocation that holds p.
func (l *Lib) MemGetAddressRange(p DevicePtr) (base DevicePtr, bytes uint64, r Result) {
	r = l.call(symMemGetAddressRange, uintptr(unsafe.Pointer(&base)), uintptr(unsafe.Pointer(&bytes)), uintptr(p))
	return base, bytes, r
}
