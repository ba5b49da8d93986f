package gpusort

import (
	"errors"
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/op"
)

// The classes of failure, to be found with errors.Is.
var (
	// ErrNoDevice: the named device or its vendor's library is not there. The
	// message lists the known devices.
	ErrNoDevice = driver.ErrNoDevice
	// ErrUnsupported: the device or the algorithm cannot sort this.
	ErrUnsupported = driver.ErrUnsupported
	// ErrOutOfMemory: neither the whole slice nor pieces of it fit the device,
	// or the host has no memory for the copy from which it would restore the slice.
	ErrOutOfMemory = driver.ErrOutOfMemory
	// ErrDeviceLost: the device failed or vanished. Only a new process can use it again.
	ErrDeviceLost = driver.ErrDeviceLost
	// ErrInputLost: devices that sorted together failed while the slice was overwritten, and
	// with them the copies of its input. The slice then holds parts of input and output.
	ErrInputLost = driver.ErrInputLost
	// ErrClosed: the Sorter, Buffer or pinned slice was closed before.
	ErrClosed = driver.ErrClosed
)

// DriverError is a failed call of a vendor's API, to be found with errors.As.
type DriverError struct {
	Op     string // the call: "cuMemAlloc_v2"
	Code   int    // the vendor's code
	Name   string // its name: "CUDA_ERROR_OUT_OF_MEMORY"
	Device string // "cuda:0 NVIDIA H200"; empty before a device is known
	Detail string // what was asked for, and the remedy, in words; may be empty
	Class  error  // one of the classes above, or nil
}

// Error gives device, call, name, code and detail, in that order.
func (e *DriverError) Error() string { return (*driver.Error)(e).Error() }

// Unwrap returns the class.
func (e *DriverError) Unwrap() error { return e.Class }

// opError is a failure of an exported operation.
type opError struct {
	op     string
	err    error
	driver *DriverError // what err has of it, in public form; may be nil
}

// fail names the operation of an error that is nil or comes from inside.
func fail(op string, err error) error {
	if err == nil {
		return nil
	}
	e := &opError{op: op, err: err}
	if d, ok := errors.AsType[*driver.Error](err); ok {
		e.driver = (*DriverError)(d)
	}
	return e
}

func (e *opError) Error() string { return "gpusort: " + e.op + ": " + e.err.Error() }

func (e *opError) Unwrap() []error {
	if e.driver == nil {
		return []error{e.err}
	}
	return []error{e.driver, e.err}
}

// lengths is the error of slices that must be equally long.
func lengths(op, a string, n int, b string, m int) error {
	return fmt.Errorf("gpusort: %s: %d %s but %d %s: both slices must have the same length", op, n, a, m, b)
}

// checkIndex returns an error if idx cannot hold the order of x.
func checkIndex[T AnyKey, I Index](name string, idx []I, x []T) error {
	if len(idx) != len(x) {
		return lengths(name, "indices", len(idx), "keys", len(x))
	}
	if !op.HoldsIndices[I](len(x)) {
		return fmt.Errorf("gpusort: %s: %w: indices of %d items do not fit %T: use an 8-byte index type",
			name, ErrUnsupported, len(x), *new(I))
	}
	return nil
}
