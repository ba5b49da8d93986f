package gpusort

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/dispatch"
	"github.com/gpusort/gpusort/internal/key"
)

// Mode says what is sorted.
type Mode = dispatch.Mode

// The modes: keys alone, keys with values, and indices that leave the keys.
const (
	ModeKeys    = dispatch.Keys
	ModePairs   = dispatch.Pairs
	ModeArgsort = dispatch.Argsort
)

// DeviceInfo describes a device.
type DeviceInfo struct {
	ID            string // for WithDevice: "cuda:0"
	Backend       string // "cpu", "cuda", "opencl"
	Name          string
	Vendor        string
	DriverVersion string
	MemoryBytes   uint64  // 0 for the CPU
	ComputeUnits  int     // processors of the host, multiprocessors of a GPU
	ClockMHz      int     // 0 if unknown
	MemoryGBps    float64 // peak, as the device says; 0 if unknown
	HostProcessor bool    // an OpenCL device that runs on the host's processor
}

// Devices lists the CPU and the devices of every backend that is installed. It
// loads the vendors' libraries, but makes no context. The list is valid also
// with an error, which says what went wrong with an installed backend.
func Devices() ([]DeviceInfo, error) {
	list, err := dispatch.Inventory()
	out := make([]DeviceInfo, len(list))
	for i, d := range list {
		out[i] = DeviceInfo(d)
	}
	return out, err
}

// Explanation says how a sort of a host slice would run. In JSON, times are in
// nanoseconds.
type Explanation struct {
	Device        string          `json:"device"` // "cpu" or an ID of Devices
	DeviceName    string          `json:"device_name"`
	Algorithm     string          `json:"algorithm"`
	Items         uint64          `json:"items"`
	Pieces        int             `json:"pieces"`         // parts sorted apart, because the whole does not fit
	Passes        int             `json:"passes"`         // over all keys; 0 on the CPU
	Launches      int             `json:"launches"`       // kernels per piece
	BytesMoved    uint64          `json:"bytes_moved"`    // least traffic of the device's memory
	TransferBytes uint64          `json:"transfer_bytes"` // between host and device, both ways
	ScratchBytes  uint64          `json:"scratch_bytes"`  // device memory beside keys and values
	Predicted     time.Duration   `json:"predicted_ns"`   // transfers included, on an open device
	Why           string          `json:"why"`            // in words
	Steps         []ExplainedStep `json:"steps"`
	Others        []Alternative   `json:"others"`
}

// ExplainedStep is one command of the plan.
type ExplainedStep = dispatch.ExplainedStep

// Alternative is a device that was not chosen, and why.
type Alternative = dispatch.Alternative

// Explain says where and how s would sort n items of type T in a host slice,
// and why. valueBytes is the width of a value or index: 4 or 8, and 0 for keys
// alone; n is at most 2^40. What it does not know, such as another width, is
// ErrUnsupported. Under "auto" it looks at all devices.
func Explain[T Key](s *Sorter, mode Mode, n, valueBytes int) (Explanation, error) {
	p, err := problem[T](mode, n, valueBytes, s.order)
	if err != nil {
		return Explanation{}, err
	}
	x, err := s.engine.Explain(p)
	return Explanation(x), err
}

// ScratchBytes is the device memory that a sort of n items of type T takes
// beside its keys and values. It needs no device: it is the most that the
// algorithms in question take, for WithDevice's backend or else for any. n and
// valueBytes are as for Explain.
func ScratchBytes[T Key](mode Mode, n, valueBytes int, opts ...Option) (uint64, error) {
	set := apply(opts)
	p, err := problem[T](mode, n, valueBytes, set.order)
	if err != nil {
		return 0, err
	}
	return dispatch.ScratchBytes(set.Config, p)
}

// SelfTestResult is one sort of a self-test.
type SelfTestResult = dispatch.SelfTestResult

// SelfTest sorts small inputs on the named device, or on every device if the
// name is "auto" or empty, with every algorithm and key type, and compares the
// results with the CPU's bit for bit. A result's Err is nil if they agree.
func SelfTest(ctx context.Context, device string) ([]SelfTestResult, error) {
	return dispatch.SelfTest(orBackground(ctx), dispatch.Config{Device: device})
}

func problem[T Key](mode Mode, n, valueBytes int, o key.Order) (dispatch.Problem, error) {
	p := dispatch.Problem{Type: key.Of[T](), Mode: mode, Order: o, Items: uint64(n), ValueBytes: valueBytes}
	if n < 0 {
		return p, fmt.Errorf("gpusort: %w: %d items", ErrUnsupported, n)
	}
	return p, nil
}

// plainBytes is the size of n items of a type that may lie outside of Go's
// memory.
func plainBytes[T any](op string, n int) (uint64, error) {
	var t T
	size := unsafe.Sizeof(t)
	if t := reflect.TypeFor[T](); hasPointers(t) {
		return 0, fmt.Errorf("gpusort: %s: %w: %v holds pointers", op, ErrUnsupported, t)
	}
	if n < 0 || size > 0 && uint64(n) > math.MaxInt64/uint64(size) {
		return 0, fmt.Errorf("gpusort: %s: %w: %d items of %d bytes", op, ErrUnsupported, n, size)
	}
	return uint64(n) * uint64(size), nil
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
