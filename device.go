package gpusort

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// Mode says what is sorted.
type Mode uint8

// The modes.
const (
	ModeKeys    Mode = iota // keys alone
	ModePairs               // keys with values
	ModeArgsort             // indices; the keys stay as they are
)

// String is "keys", "pairs" or "argsort".
func (m Mode) String() string { return op.Mode(m).String() }

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
	MemoryGBps    float64 // peak bandwidth that the device reports; 0 if unknown
	HostProcessor bool    // an OpenCL device that runs on the host's processor
}

// Devices lists the CPU and the devices of every backend that is installed. It
// loads the vendors' libraries, but makes no context. The list is valid also
// with an error, which says what went wrong with an installed backend.
func Devices() ([]DeviceInfo, error) {
	list, err := engine.Inventory()
	out := make([]DeviceInfo, len(list))
	for i, d := range list {
		out[i] = DeviceInfo(d)
	}
	return out, fail("Devices", err)
}

// Explanation says how a sort of a host slice would run. In JSON, times are in
// nanoseconds.
type Explanation struct {
	Device        string          `json:"device"` // "cpu", an ID of Devices, or several with commas
	DeviceName    string          `json:"device_name"`
	Algorithm     string          `json:"algorithm"`
	Items         uint64          `json:"items"`
	Pieces        int             `json:"pieces"`         // parts sorted apart, because the whole does not fit
	Passes        int             `json:"passes"`         // over all keys; 0 on the CPU
	Launches      int             `json:"launches"`       // kernels per piece
	BytesMoved    uint64          `json:"bytes_moved"`    // least traffic of the device's memory
	TransferBytes uint64          `json:"transfer_bytes"` // between host and device, both ways
	ScratchBytes  uint64          `json:"scratch_bytes"`  // device memory besides keys and values
	Predicted     time.Duration   `json:"predicted_ns"`   // transfers included, on an open device
	Why           string          `json:"why"`            // in words
	Steps         []ExplainedStep `json:"steps"`
	Others        []Alternative   `json:"others"`
	Shares        []Share         `json:"shares,omitempty"` // of several devices that sort together; none if one sorts
}

// Share is the part of a sort that one of several devices has: what it sorts, and as many
// items of the output.
type Share struct {
	Device string `json:"device"`
	Items  uint64 `json:"items"`
}

// ExplainedStep is one command of the plan.
type ExplainedStep struct {
	Op         string `json:"op"` // "launch", "memset", "copy" or "host"
	Label      string `json:"label"`
	Kernel     string `json:"kernel"`
	Blocks     uint64 `json:"blocks"`
	Threads    uint64 `json:"threads"`
	LeastBytes uint64 `json:"least_bytes"` // read and written at least
}

// Alternative is a device that was not chosen, and why.
type Alternative struct {
	Device    string        `json:"device"`
	Algorithm string        `json:"algorithm"`
	Predicted time.Duration `json:"predicted_ns"`
	Why       string        `json:"why"`
}

// Explain says where and how s would sort n items of type T in a host slice, and why.
// valueBytes is the width of a value or index: 4 or 8, and 0 for keys alone. n is at
// most 2^40. Another width or n is ErrUnsupported. Under "auto" Explain
// looks for devices, but opens none.
func Explain[T AnyKey](s *Sorter, mode Mode, n, valueBytes int) (Explanation, error) {
	if err := s.check("Explain"); err != nil {
		return Explanation{}, err
	}
	p, err := problem[T]("Explain", mode, n, valueBytes, s.order)
	if err != nil {
		return Explanation{}, err
	}
	x, err := s.engine.Explain(p)
	return explanation(x), fail("Explain", err)
}

// ExplainStrings is Explain of SortStringsWith and the like, for n strings that have so
// many bytes in all, at most 2^40 of either. Steps, passes and scratch are those of the
// first plan: how many follow depends on the strings.
func ExplainStrings(s *Sorter, n, bytes int) (Explanation, error) {
	const name = "ExplainStrings"
	if err := s.check(name); err != nil {
		return Explanation{}, err
	}
	if n < 0 || bytes < 0 || uint64(bytes) > 1<<40 {
		return Explanation{}, fmt.Errorf("gpusort: %s: %w: %d strings of %d bytes in all", name, ErrUnsupported, n, bytes)
	}
	x, err := s.engine.ExplainTexts(uint64(n), uint64(bytes), s.order.Desc)
	return explanation(x), fail(name, err)
}

func explanation(x engine.Explanation) Explanation {
	out := Explanation{
		Device: x.Device, DeviceName: x.DeviceName, Algorithm: x.Algorithm, Items: x.Items, Pieces: x.Pieces,
		Passes: x.Passes, Launches: x.Launches, BytesMoved: x.BytesMoved, TransferBytes: x.TransferBytes,
		ScratchBytes: x.ScratchBytes, Predicted: x.Predicted, Why: x.Why,
		Steps: make([]ExplainedStep, len(x.Steps)), Others: make([]Alternative, len(x.Others)),
	}
	for i, s := range x.Steps {
		out.Steps[i] = ExplainedStep(s)
	}
	for i, o := range x.Others {
		out.Others[i] = Alternative(o)
	}
	for _, s := range x.Shares {
		out.Shares = append(out.Shares, Share(s))
	}
	return out
}

// ScratchBytes is the most device memory that a sort of n items of type T takes
// besides its keys and values. It needs no device. WithDevice and WithAlgorithm narrow
// the devices and algorithms that it counts; on the CPU it is 0. n and valueBytes are
// as for Explain.
func ScratchBytes[T AnyKey](mode Mode, n, valueBytes int, opts ...Option) (uint64, error) {
	set, err := apply("ScratchBytes", opts)
	if err != nil {
		return 0, err
	}
	p, err := problem[T]("ScratchBytes", mode, n, valueBytes, set.order)
	if err != nil {
		return 0, err
	}
	bytes, err := engine.ScratchBytes(set.Config, p)
	return bytes, fail("ScratchBytes", err)
}

func problem[T AnyKey](name string, mode Mode, n, valueBytes int, o key.Order) (op.Spec, error) {
	p := op.Spec{Type: typeOf[T](), Mode: op.Mode(mode), Order: o, Items: uint64(n), ValueBytes: valueBytes}
	if n < 0 {
		return p, fmt.Errorf("gpusort: %s: %w: %d items", name, ErrUnsupported, n)
	}
	return p, nil
}

// plainBytes is the size of n items of a type that may lie outside of Go's
// memory.
func plainBytes[T any](op string, n int) (uint64, error) {
	var t T
	size := unsafe.Sizeof(t)
	if t := reflect.TypeFor[T](); values.HasPointers(t) {
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
