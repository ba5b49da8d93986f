package opencl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

// query asks one device. A question that a device cannot answer gives 0 or "".
type query struct {
	api      *cl.API
	platform cl.Platform
	device   cl.Device
}

func (q query) uint(param uint32) uint64 {
	v, c := q.api.GetDeviceInfo(q.device, param)
	if c != cl.Success {
		return 0
	}
	return v.Uint()
}

func (q query) text(param uint32) string {
	v, c := q.api.GetDeviceInfo(q.device, param)
	if c != cl.Success {
		return ""
	}
	return v.String()
}

func (q query) platformText(param uint32) string {
	v, c := q.api.GetPlatformInfo(q.platform, param)
	if c != cl.Success {
		return ""
	}
	return v.String()
}

// unusable says why the device cannot run our kernels; "" if it can.
func (q query) unusable() string {
	var why string
	switch {
	case q.uint(cl.DeviceAvailable) == 0:
		why = "is not available"
	case q.uint(cl.DeviceCompilerAvailable) == 0:
		why = "has no compiler"
	case q.uint(cl.DeviceEndianLittle) == 0:
		why = "is big-endian"
	case strings.HasPrefix(q.text(cl.DeviceVersion), "OpenCL 1.0"), strings.HasPrefix(q.text(cl.DeviceVersion), "OpenCL 1.1"):
		why = "is older than OpenCL 1.2"
	default:
		return ""
	}
	return fmt.Sprintf("%q %s", q.text(cl.DeviceName), why)
}

// identity is everything that a program binary depends on.
func (q query) identity() string {
	return strings.Join([]string{
		q.platformText(cl.PlatformName), q.platformText(cl.PlatformVendor), q.platformText(cl.PlatformVersion),
		q.text(cl.DeviceName), q.text(cl.DeviceVendor), fmt.Sprint(q.uint(cl.DeviceVendorID)),
		q.text(cl.DriverVersion), q.text(cl.DeviceVersion), fmt.Sprint(q.uint(cl.DeviceMaxComputeUnits)),
	}, "\n")
}

func (q query) caps(index int) driver.Caps {
	ext := strings.Fields(q.text(cl.DeviceExtensions))
	local := q.uint(cl.DeviceLocalMemSize)
	c := driver.Caps{
		Backend:       backend,
		ID:            fmt.Sprintf("%s:%d", backend, index),
		Name:          q.text(cl.DeviceName),
		Vendor:        q.text(cl.DeviceVendor),
		DriverVersion: q.text(cl.DriverVersion),

		ComputeUnits:       int(q.uint(cl.DeviceMaxComputeUnits)),
		ClockKHz:           int(q.uint(cl.DeviceMaxClockFrequency)) * 1000,
		WarpSize:           1, // OpenCL knows it per kernel: Attributes
		MaxThreadsPerBlock: int(q.uint(cl.DeviceMaxWorkGroupSize)),
		SharedPerBlock:     local,
		SharedPerBlockMax:  local,
		SharedPerUnit:      local,
		L2Bytes:            q.uint(cl.DeviceGlobalMemCache),
		GlobalBytes:        q.uint(cl.DeviceGlobalMemSize),
		MaxAllocBytes:      q.uint(cl.DeviceMaxMemAllocSize),
		BufferAlign:        max(q.uint(cl.DeviceMemBaseAddrAlign)/8, 1),

		SubGroups:   slices.Contains(ext, "cl_khr_subgroups") || slices.Contains(ext, "cl_intel_subgroups"),
		Atomics64:   slices.Contains(ext, "cl_khr_int64_base_atomics"),
		HostUnified: q.uint(cl.DeviceHostUnifiedMemory) != 0,
		CPU:         q.uint(cl.DeviceType)&cl.DeviceTypeCPU != 0,
	}
	if slices.Contains(ext, "cl_khr_device_uuid") {
		if v, code := q.api.GetDeviceInfo(q.device, cl.DeviceUUID); code == cl.Success && len(v) == 16 {
			c.UUID = fmt.Sprintf("%x-%x-%x-%x-%x", []byte(v[:4]), []byte(v[4:6]), []byte(v[6:8]), []byte(v[8:10]), []byte(v[10:]))
		}
	}
	return c
}
