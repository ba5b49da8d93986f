//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// allocAlign is what cuMemAlloc and the pools promise, in bytes.
const allocAlign = 256

// readCaps asks for what needs no context.
func readCaps(l *cu.Lib, h cu.Device, ordinal int, version int32) (driver.Caps, error) {
	name, r := l.DeviceName(h)
	if err := plainError(l, "cuDeviceGetName", r); err != nil {
		return driver.Caps{}, err
	}
	total, r := l.DeviceTotalMem(h)
	if err := plainError(l, "cuDeviceTotalMem_v2", r); err != nil {
		return driver.Caps{}, err
	}
	var failed error
	// need asks for an attribute that every driver knows, ask for one that an
	// old driver or a device without it answers with 0.
	need := func(a cu.Attribute) int {
		v, r := l.DeviceAttribute(a, h)
		if err := plainError(l, fmt.Sprintf("cuDeviceGetAttribute(%d)", a), r); err != nil && failed == nil {
			failed = err
		}
		return int(v)
	}
	ask := func(a cu.Attribute) int {
		if _, r := l.DeviceAttribute(a, h); r == cu.InvalidValue {
			return 0
		}
		return need(a)
	}
	arch := 10*need(cu.ComputeCapabilityMajor) + need(cu.ComputeCapabilityMinor)
	c := driver.Caps{
		Backend:            "cuda",
		ID:                 fmt.Sprintf("cuda:%d", ordinal),
		Name:               name,
		Vendor:             "NVIDIA",
		DriverVersion:      "CUDA " + versionText(version),
		ComputeUnits:       need(cu.MultiprocessorCount),
		ClockKHz:           ask(cu.ClockRate),
		WarpSize:           need(cu.WarpSize),
		MaxThreadsPerBlock: need(cu.MaxThreadsPerBlock),
		MaxThreadsPerUnit:  need(cu.MaxThreadsPerMP),
		RegistersPerUnit:   need(cu.MaxRegistersPerMP),
		SharedPerBlock:     uint64(need(cu.MaxSharedMemoryPerBlock)),
		SharedPerUnit:      uint64(need(cu.MaxSharedMemoryPerMP)),
		L2Bytes:            uint64(need(cu.L2CacheSize)),
		GlobalBytes:        total,
		MaxAllocBytes:      total,
		BufferAlign:        allocAlign,
		// Two transfers per clock; kHz · bits / 8 · 2 is 1e-6 GB/s.
		MemoryGBps: float64(ask(cu.MemoryClockRate)) * float64(ask(cu.GlobalMemoryBusWidth)) / 4 / 1e6,
		Arch:       arch,
		// The hardware never preempts a resident block for the sake of one of
		// the same grid, and whole grids are switched together.
		ForwardProgress: true,
		SubGroups:       true,
		Atomics64:       arch >= 35,
		Cooperative:     ask(cu.CooperativeLaunch) != 0,
		HostUnified:     ask(cu.Integrated) != 0,
	}
	c.SharedPerBlockMax = max(c.SharedPerBlock, uint64(ask(cu.MaxSharedMemoryPerBlockOpt)))
	if id, r := l.DeviceUUID(h); r == cu.Success {
		c.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	}
	return c, failed
}
