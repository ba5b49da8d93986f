package gpusort

import (
	"fmt"
	"log/slog"

	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
)

// Option is a setting of New and of ScratchBytes.
type Option func(*settings)

type settings struct {
	engine.Config
	order key.Order
}

// apply returns what opts set for the function of that name.
func apply(name string, opts []Option) (s settings, err error) {
	for i, o := range opts {
		if o == nil {
			return s, fmt.Errorf("gpusort: %s: option %d of %d is nil: leave it out", name, i+1, len(opts))
		}
		o(&s)
	}
	if s.Device == "" {
		s.Device = engine.DefaultDevice()
	}
	return s, nil
}

// WithDevice names the device: "auto", "cpu", or an ID of Devices such as "cuda:0" or
// "opencl:1"; "cuda" is the first of its kind. Several of a kind sort long slices together:
// "cuda:0,cuda:2", or "cuda:all". Case does not matter. A named device never falls back to
// another, but keys that no device has are sorted on the CPU: Float16, BFloat16, Uint128 and
// arrays of 16 bytes. Slices of strings are sorted by the first of several. The default is
// what GPUSORT_DEVICE names, else "auto".
func WithDevice(id string) Option { return func(s *settings) { s.Device = id } }

// WithAlgorithm names an algorithm of sorts, such as "onesweep"; Algorithms lists all. With
// a device algorithm "auto" does not choose the CPU. Operations besides sorts take no notice.
func WithAlgorithm(name string) Option { return func(s *settings) { s.Algorithm = name } }

// WithNaNLast puts NaN after +Inf instead of before −Inf in ascending order.
func WithNaNLast() Option { return func(s *settings) { s.order.NaNLast = true } }

// WithEqualZeros makes −0 and +0 tie, and all NaNs tie. Pairs and argsort leave them in
// their input order, as NumPy's stable sorts do. The keys of pairs keep their bits. It
// changes nothing for integers and for keys alone.
func WithEqualZeros() Option { return func(s *settings) { s.order.EqualZeros = true } }

// WithDescending sorts in the exact reverse of the ascending order of keys.
func WithDescending() Option { return func(s *settings) { s.order.Desc = true } }

// WithMemoryLimit limits the device memory of one sort, in bytes. A slice that
// needs more is sorted in pieces. A limit below the least that works is raised to that,
// which Report.RaisedLimit tells. Strings have no pieces: under "auto" they are sorted on the
// CPU if a device might take more. Sorts of Buffers have it for what they take besides
// the data. While a device works the host keeps a copy of the
// data, from which it restores the slice after a failure; that copy is not counted.
//
// On the CPU it limits the memory besides the data. If they need more, keys alone are
// sorted in place, and pairs and argsort in parts that are merged in place; the lower
// the limit, the longer that takes. Pairs and argsort take at least 8 MiB and
// 1 MiB a worker. 0 is no limit.
func WithMemoryLimit(bytes uint64) Option { return func(s *settings) { s.MemoryLimit = bytes } }

// WithScratchLimit limits the memory that a sort on the CPU takes besides the data, in
// bytes, in place of WithMemoryLimit. 0 leaves it to WithMemoryLimit.
func WithScratchLimit(bytes uint64) Option { return func(s *settings) { s.HostScratch = bytes } }

// WithWorkers sets the number of goroutines for work on the host, at most 4096. 0,
// the default, is one per processor.
func WithWorkers(n int) Option { return func(s *settings) { s.Workers = n } }

// WithLogger sets where choices and fallbacks are logged. Without it nothing
// is.
func WithLogger(l *slog.Logger) Option { return func(s *settings) { s.Logger = l } }
