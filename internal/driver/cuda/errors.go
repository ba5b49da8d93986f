//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"errors"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// class sorts the driver's codes. The lost ones are sticky: they come back from
// every later call in the context.
func class(r cu.Result) error {
	switch r {
	case cu.OutOfMemory:
		return driver.ErrOutOfMemory
	case cu.NoDevice, cu.InvalidDevice, cu.DeviceUnavailable, cu.StubLibrary, cu.InsufficientDriver,
		cu.NotInitialized, cu.SystemNotReady, cu.SystemDriverMismatch, cu.CompatNotSupported:
		return driver.ErrNoDevice
	case cu.InvalidImage, cu.NoBinaryForGPU, cu.InvalidPTX, cu.UnsupportedPTXVersion, cu.JITCompilerNotFound,
		cu.JITDisabled, cu.NotSupported, cu.NotFound, cu.LaunchOutOfResources, cu.CooperativeTooLarge:
		return driver.ErrUnsupported
	case cu.Deinitialized, cu.ECCUncorrectable, cu.NVLinkUncorrectable, cu.IllegalAddress, cu.LaunchTimeout,
		cu.ContextIsDestroyed, cu.Assert, cu.HardwareStackError, cu.IllegalInstruction, cu.MisalignedAddress,
		cu.InvalidAddressSpace, cu.InvalidPC, cu.LaunchFailed, cu.MPSClientTerminated:
		return driver.ErrDeviceLost
	}
	return nil
}

// remedy says in words what to do about a code, or what it means.
func remedy(l *cu.Lib, r cu.Result) string {
	switch r {
	case cu.NoBinaryForGPU, cu.InvalidImage:
		return "the device code was not built for this device; it needs machine code of its architecture or PTX"
	case cu.UnsupportedPTXVersion:
		return "the driver is older than the PTX; install a newer NVIDIA driver"
	case cu.JITCompilerNotFound:
		return "the driver's PTX compiler (libnvidia-ptxjitcompiler.so.1) is missing; reinstall the NVIDIA driver"
	case cu.JITDisabled:
		return "CUDA_DISABLE_PTX_JIT forbids compiling PTX; unset it"
	case cu.LaunchOutOfResources:
		return "a block of this size needs more registers or shared memory than a multiprocessor has"
	case cu.CooperativeTooLarge:
		return "a cooperative grid must fit the device at once; use fewer blocks"
	}
	s := l.ErrorString(r)
	if class(r) == driver.ErrDeviceLost {
		s += "; the context is lost: close the device and open it again"
	}
	return s
}

// plainError is the error of a call that concerns no device; nil for success.
func plainError(l *cu.Lib, op string, r cu.Result) error {
	if r == cu.Success {
		return nil
	}
	return &driver.Error{Op: op, Code: int(r), Name: l.ErrorName(r), Detail: remedy(l, r), Class: class(r)}
}

// fail is the error of a call on d; nil for success. what says what was asked
// for; it may be empty.
func (d *device) fail(op string, r cu.Result, what string) error {
	if r == cu.Success {
		return nil
	}
	detail := remedy(d.l, r)
	if what != "" {
		detail = what + ": " + detail
	}
	return &driver.Error{
		Op: op, Code: int(r), Name: d.l.ErrorName(r), Device: d.label, Detail: detail, Class: class(r),
	}
}

// invalid is the error of an argument that never reached the driver.
func (d *device) invalid(op, detail string) error {
	return &driver.Error{
		Op: op, Code: int(cu.InvalidValue), Name: cu.InvalidValue.String(), Device: d.label, Detail: detail,
	}
}

// unsupported is the error of a request that this device cannot fulfil.
func (d *device) unsupported(op, detail string) error {
	return &driver.Error{
		Op: op, Code: int(cu.NotSupported), Name: cu.NotSupported.String(), Device: d.label, Detail: detail,
		Class: driver.ErrUnsupported,
	}
}

func (d *device) errClosed(op, what string) error {
	return &driver.Error{
		Op: op, Code: int(cu.InvalidContext), Name: "CLOSED", Device: d.label, Detail: what + " is already closed",
		Class: driver.ErrClosed,
	}
}

func isLost(r cu.Result) bool { return class(r) == driver.ErrDeviceLost }

func errorIsLost(err error) bool { return errors.Is(err, driver.ErrDeviceLost) }
