package driver

import (
	"errors"
	"fmt"
)

// The classes of failure. The root package exports the same values.
var (
	ErrNoDevice    = errors.New("no such device")
	ErrUnsupported = errors.New("not supported")
	ErrOutOfMemory = errors.New("out of device memory")
	ErrDeviceLost  = errors.New("device lost")
	ErrClosed      = errors.New("already closed")
	ErrInputLost   = errors.New("input lost")
)

// Error is a failed call of a vendor's API.
type Error struct {
	Op     string // the API call: "cuMemAlloc_v2"
	Code   int    // the vendor's code
	Name   string // its name: "CUDA_ERROR_OUT_OF_MEMORY"
	Device string // "cuda:0 NVIDIA H200"; empty before a device is known
	Detail string // what was asked for, and the remedy, in words; may be empty
	Class  error  // one of the classes above, or nil
}

// Error gives device, call, name, code and detail, in that order.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s (%d)", e.Op, e.Name, e.Code)
	if e.Device != "" {
		s = e.Device + ": " + s
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap returns the class, so that errors.Is finds it.
func (e *Error) Unwrap() error { return e.Class }
