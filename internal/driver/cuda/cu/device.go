//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cu

import "unsafe"

// Init is cuInit: it must have succeeded before anything else works.
func (l *Lib) Init() Result { return l.call(symInit, 0) }

// DriverVersion is the newest CUDA version that the driver supports, times
// 1000 plus ten times the minor version: 13000.
func (l *Lib) DriverVersion() (v int32, r Result) {
	r = l.call(symDriverGetVersion, uintptr(unsafe.Pointer(&v)))
	return v, r
}

// ErrorName is the name of a result: "CUDA_ERROR_OUT_OF_MEMORY".
func (l *Lib) ErrorName(code Result) string {
	var p *byte
	if l.call(symGetErrorName, uintptr(code), uintptr(unsafe.Pointer(&p))) != Success || p == nil {
		return code.String()
	}
	return text(p)
}

// ErrorString is NVIDIA's explanation of a result, or empty.
func (l *Lib) ErrorString(code Result) string {
	var p *byte
	if l.call(symGetErrorString, uintptr(code), uintptr(unsafe.Pointer(&p))) != Success {
		return ""
	}
	return text(p)
}

// Device is a CUdevice: an ordinal.
type Device int32

// DeviceCount returns the number of visible devices.
func (l *Lib) DeviceCount() (n int, r Result) {
	var c int32
	r = l.call(symDeviceGetCount, uintptr(unsafe.Pointer(&c)))
	return int(c), r
}

// DeviceGet returns the device with the given ordinal.
func (l *Lib) DeviceGet(ordinal int) (d Device, r Result) {
	r = l.call(symDeviceGet, uintptr(unsafe.Pointer(&d)), uintptr(ordinal))
	return d, r
}

// DeviceName returns the marketing name.
func (l *Lib) DeviceName(d Device) (string, Result) {
	b := make([]byte, 256)
	r := l.call(symDeviceGetName, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(d))
	return gostring(b), r
}

// DeviceUUID returns the 16 bytes that identify a device (or MIG slice).
func (l *Lib) DeviceUUID(d Device) (id [16]byte, r Result) {
	r = l.call(symDeviceGetUUID, uintptr(unsafe.Pointer(&id)), uintptr(d))
	return id, r
}

// DeviceTotalMem returns the device memory in bytes.
func (l *Lib) DeviceTotalMem(d Device) (bytes uint64, r Result) {
	r = l.call(symDeviceTotalMem, uintptr(unsafe.Pointer(&bytes)), uintptr(d))
	return bytes, r
}

// Attribute is a CUdevice_attribute.
type Attribute int32

// The device attributes that are used. Clocks are in kHz, sizes in bytes, the
// bus width in bits.
const (
	MaxThreadsPerBlock         Attribute = 1
	MaxSharedMemoryPerBlock    Attribute = 8
	WarpSize                   Attribute = 10
	ClockRate                  Attribute = 13
	MultiprocessorCount        Attribute = 16
	Integrated                 Attribute = 18
	MemoryClockRate            Attribute = 36
	GlobalMemoryBusWidth       Attribute = 37
	L2CacheSize                Attribute = 38
	MaxThreadsPerMP            Attribute = 39
	UnifiedAddressing          Attribute = 41
	ComputeCapabilityMajor     Attribute = 75
	ComputeCapabilityMinor     Attribute = 76
	MaxSharedMemoryPerMP       Attribute = 81
	MaxRegistersPerMP          Attribute = 82
	CooperativeLaunch          Attribute = 95
	MaxSharedMemoryPerBlockOpt Attribute = 97
	MemoryPoolsSupported       Attribute = 115
	HostNode                   Attribute = 134 // negative: there are no memory nodes
)

// DeviceAttribute returns one attribute. A driver too old to know it answers
// InvalidValue.
func (l *Lib) DeviceAttribute(a Attribute, d Device) (v int32, r Result) {
	r = l.call(symDeviceGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(d))
	return v, r
}

// CanAccessPeer reports whether d can map the memory of peer.
func (l *Lib) CanAccessPeer(d, peer Device) (bool, Result) {
	var v int32
	r := l.call(symDeviceCanAccessPeer, uintptr(unsafe.Pointer(&v)), uintptr(d), uintptr(peer))
	return v != 0, r
}

// Context is a CUcontext.
type Context uintptr

// PrimaryRetain returns the device's primary context, made if need be. Each
// retain wants one PrimaryRelease.
func (l *Lib) PrimaryRetain(d Device) (c Context, r Result) {
	r = l.call(symPrimaryRetain, uintptr(unsafe.Pointer(&c)), uintptr(d))
	return c, r
}

// PrimaryRelease gives a retained primary context back.
func (l *Lib) PrimaryRelease(d Device) Result { return l.call(symPrimaryRelease, uintptr(d)) }

// EnablePeerAccess lets the current context use memory of peer.
func (l *Lib) EnablePeerAccess(peer Context) Result {
	return l.call(symCtxEnablePeerAccess, uintptr(peer), 0)
}
