package gpusort

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// Sorter sorts with one configuration and keeps queues, device memory and
// loaded code between sorts. It is safe for several goroutines at once, which
// then share the device.
type Sorter struct {
	engine *engine.Engine
	order  key.Order
	host   values.Host // but for the context

	mu   sync.Mutex
	last Report
}

// New makes a Sorter. It fails if the named device or algorithm is unknown, the
// number of workers is negative, an option is nil, or GPUSORT_CPU names no level of
// instructions.
// Under "auto" it touches no device. The caller closes the Sorter.
func New(opts ...Option) (*Sorter, error) {
	set, err := apply("New", opts)
	if err != nil {
		return nil, err
	}
	e, err := engine.New(set.Config)
	if err != nil {
		return nil, fail("New", err)
	}
	return &Sorter{engine: e, order: set.order, host: values.Host{Workers: set.Workers, Limit: set.MemoryLimit}}, nil
}

// Close waits for running sorts and releases what the Sorter holds on its
// device. Buffers and pinned slices made with it are closed by their owners. A
// second Close does nothing.
func (s *Sorter) Close() error {
	if err := s.check("Sorter.Close"); err != nil {
		return err
	}
	return fail("Sorter.Close", s.engine.Close())
}

// check returns an error if s was not made by New.
func (s *Sorter) check(op string) error {
	if s == nil || s.engine == nil {
		return fmt.Errorf("gpusort: %s: %w: the Sorter is nil or zero: make one with New", op, ErrClosed)
	}
	return nil
}

// Report says what a sort did.
type Report struct {
	Device     string        // "cpu", an ID of Devices, or several with commas
	Algorithm  string        // catalogue name
	Items      uint64        // number of keys
	Pieces     int           // parts that were sorted apart and merged; 1 if none
	Elapsed    time.Duration // from call to return, transfers included
	DeviceTime time.Duration // the sort alone by the device's clock, of several the longest; 0 on the CPU
	Fallback   string        // why a device was left for the CPU; else empty
	// RaisedLimit is what WithMemoryLimit was raised to on a device, in bytes, because
	// the sort takes at least that much; 0 if the limit was kept.
	RaisedLimit uint64
}

// Last reports the sort that finished last on s, by any goroutine.
func (s *Sorter) Last() Report {
	if s == nil {
		return Report{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// reportKey is the context's key of the Report that WithReport carries.
type reportKey struct{}

// WithReport returns a context for one sort. Before that sort returns, with an error
// or without, it writes to r what it did. Sorter.Last, in contrast, reports the sort
// that finished last, which may be another goroutine's.
func WithReport(ctx context.Context, r *Report) context.Context {
	return context.WithValue(orBackground(ctx), reportKey{}, r)
}

func (s *Sorter) note(ctx context.Context, r engine.Report) {
	if ctx != nil {
		if to, ok := ctx.Value(reportKey{}).(*Report); ok && to != nil {
			*to = Report(r)
		}
	}
	s.mu.Lock()
	s.last = Report(r)
	s.mu.Unlock()
}

func (s *Sorter) run(ctx context.Context, op string, j op.Job) error {
	r, err := s.engine.Sort(ctx, j)
	s.note(ctx, r)
	return fail(op, err)
}

// SortWith sorts x in place. ctx cancels between the steps and transfers; a
// nil ctx never does. See the package's comment for what x holds after an
// error.
func SortWith[T AnyKey](ctx context.Context, s *Sorter, x []T) error {
	if err := s.check("SortWith"); err != nil {
		return err
	}
	return s.run(ctx, "SortWith", op.SortKeysOf(typeOf[T](), x, s.order))
}

// SortPairsWith is SortPairs with s and ctx, like SortWith. Lengths that differ are
// an error.
func SortPairsWith[K AnyKey, V any](ctx context.Context, s *Sorter, k []K, v []V) error {
	if len(k) != len(v) {
		return lengths("SortPairsWith", "keys", len(k), "values", len(v))
	}
	if err := s.check("SortPairsWith"); err != nil {
		return err
	}
	h := s.host
	h.Ctx = ctx
	return values.Pairs(typeOf[K](), h, k, v, s.order, func(j op.Job) error { return s.run(ctx, "SortPairsWith", j) })
}

// ArgsortWith writes the stable order of x as indices to idx, which is as long
// as x. It never changes x. After an error the contents of idx are undefined.
func ArgsortWith[T AnyKey, I Index](ctx context.Context, s *Sorter, idx []I, x []T) error {
	if err := checkIndex("ArgsortWith", idx, x); err != nil {
		return err
	}
	if err := s.check("ArgsortWith"); err != nil {
		return err
	}
	return s.run(ctx, "ArgsortWith", op.SortIndicesOf(typeOf[T](), idx, x, s.order))
}

// IsSortedWith reports whether x is in the order of s. The order of a nil or zero
// Sorter is ascending. With WithEqualZeros zeros may stand in any order among
// themselves, and so may NaNs.
func IsSortedWith[T AnyKey](s *Sorter, x []T) bool {
	if s == nil {
		return IsSorted(x)
	}
	return cpu.Disorder(typeOf[T](), s.order, pointer(x), len(x)) < 0
}
