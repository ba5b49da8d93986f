package gpusort

import (
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

func apply(opts []Option) settings {
	var s settings
	for _, o := range opts {
		o(&s)
	}
	if s.Device == "" {
		s.Device = engine.DefaultDevice()
	}
	return s
}

// WithDevice names the device: "auto", "cpu", or an ID of Devices such as "cuda:0" or
// "opencl:1"; "cuda" is the first of its kind. Case does not matter. A named device
// never falls back to another. The default is what GPUSORT_DEVICE names, else "auto".
func WithDevice(id string) Option { return func(s *settings) { s.Device = id } }

// WithAlgorithm names the algorithm of the catalogue, such as "onesweep". A
// device algorithm keeps "auto" from choosing the CPU.
func WithAlgorithm(name string) Option { return func(s *settings) { s.Algorithm = name } }

// WithNaNLast puts NaN after +Inf instead of before −Inf in ascending order.
func WithNaNLast() Option { return func(s *settings) { s.order.NaNLast = true } }

// WithEqualZeros has −0 and +0 tie, and all NaNs: pairs and argsort leave those in their
// input order, as NumPy's stable sorts do. The keys of pairs come out with the bits that they had.
// It changes nothing for integers, and nothing for keys alone, which have one result.
func WithEqualZeros() Option { return func(s *settings) { s.order.EqualZeros = true } }

// WithDescending sorts in the exact reverse of the ascending order of keys.
func WithDescending() Option { return func(s *settings) { s.order.Desc = true } }

// WithMemoryLimit caps the device memory of one sort in bytes. A slice that
// needs more is sorted in pieces. The safety copy that the host keeps while a
// device works, as large as the data, is not counted. On the CPU it caps the
// scratch: keys alone are then sorted in place, pairs and argsort in parts that are
// merged in place, which takes longer the less there is, with 8 MiB and some for each
// worker at least. 0 is no limit.
func WithMemoryLimit(bytes uint64) Option { return func(s *settings) { s.MemoryLimit = bytes } }

// WithScratchLimit caps what a sort on the CPU takes besides the data, in bytes, where
// that is another number than WithMemoryLimit's. 0 is that one.
func WithScratchLimit(bytes uint64) Option { return func(s *settings) { s.HostScratch = bytes } }

// WithWorkers sets the number of goroutines for work on the host; 0, the
// default, is one per processor, and more than 4096 are taken for 4096.
func WithWorkers(n int) Option { return func(s *settings) { s.Workers = n } }

// WithLogger sets where choices and fallbacks are logged. Without it nothing
// is.
func WithLogger(l *slog.Logger) Option { return func(s *settings) { s.Logger = l } }
