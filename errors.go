package gpusort

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
)

// The classes of failure, to be found with errors.Is.
var (
	// ErrNoDevice: the named device or its vendor's library is not there. The
	// message lists the known devices.
	ErrNoDevice = driver.ErrNoDevice
	// ErrUnsupported: the device or the algorithm cannot sort this.
	ErrUnsupported = driver.ErrUnsupported
	// ErrOutOfMemory: neither the whole slice nor pieces of it fit the device,
	// or the host has no memory for the safety copy.
	ErrOutOfMemory = driver.ErrOutOfMemory
	// ErrDeviceLost: the device failed or vanished; it needs a new process.
	ErrDeviceLost = driver.ErrDeviceLost
	// ErrClosed: the Sorter, Buffer or pinned slice was closed before.
	ErrClosed = driver.ErrClosed
)

// DriverError is a failed call of a vendor's API, to be found with errors.As.
type DriverError = driver.Error

// lengths is the error of slices that must be equally long.
func lengths(op, a string, n int, b string, m int) error {
	return fmt.Errorf("gpusort: %s: %d %s but %d %s: both slices must have the same length", op, n, a, m, b)
}
