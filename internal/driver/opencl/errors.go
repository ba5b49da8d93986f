package opencl

import (
	"strings"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

// apiError makes the error of a failed call; device is "" before one is known.
func apiError(device, op string, c cl.Code, detail string) *driver.Error {
	return &driver.Error{Op: op, Code: int(c), Name: c.Name(), Device: device, Detail: detail, Class: classOf(op, c)}
}

// classOf maps a code to a class. Some codes mean different things in different
// calls: CL_OUT_OF_RESOURCES is a shortage where something is made, but where
// work is started or awaited it is how vendors report a kernel that crashed,
// and so is an invalid queue, as ours are valid.
func classOf(op string, c cl.Code) error {
	running := strings.HasPrefix(op, "clEnqueue") || op == "clFinish" || op == "clFlush" ||
		op == "clWaitForEvents" || op == "clGetEventInfo"
	switch c {
	case cl.DeviceNotFound, cl.PlatformNotFound:
		return driver.ErrNoDevice
	case cl.DeviceNotAvailable, cl.IllegalAccess, cl.ExecStatusError:
		return driver.ErrDeviceLost
	case cl.CompilerNotAvailable:
		return driver.ErrUnsupported
	case cl.MemObjectAllocFailure, cl.OutOfHostMemory, cl.InvalidBufferSize:
		return driver.ErrOutOfMemory
	case cl.OutOfResources:
		if op == "clEnqueueNDRangeKernel" {
			return nil // too many registers for the block, or a crash before: what follows tells
		}
		if running && op != "clEnqueueMigrateMemObjects" && op != "clEnqueueMapBuffer" {
			return driver.ErrDeviceLost
		}
		return driver.ErrOutOfMemory
	case cl.InvalidCommandQueue:
		if running {
			return driver.ErrDeviceLost
		}
	}
	return nil
}

// closedError is the error of a call on something closed.
func closedError(device, op, what string) error {
	return &driver.Error{Op: op, Name: "CLOSED", Device: device, Class: driver.ErrClosed, Detail: "the " + what + " is closed"}
}

// foreignError is the error of a call with another backend's object.
func foreignError(device, op, what string) error {
	return &driver.Error{Op: op, Code: int(cl.InvalidValue), Name: cl.InvalidValue.Name(), Device: device,
		Detail: "the " + what + " is not of this device; use one that this device made"}
}

// invalid is the error of an argument that is refused before OpenCL sees it.
func invalid(device, op, detail string) error {
	return &driver.Error{Op: op, Code: int(cl.InvalidValue), Name: cl.InvalidValue.Name(), Device: device, Detail: detail}
}
