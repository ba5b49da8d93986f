package cpu

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// ErrUnsupported: the slices cannot be sorted; found by errors.Is.
var ErrUnsupported = errors.New("unsupported")

// Option is a setting of New.
type Option func(*settings)

type settings struct {
	order   key.Order
	workers int
	memory  uint64
	ctx     context.Context // nil: never cancelled
}

// WithDescending sorts in the exact reverse of the ascending order of keys.
func WithDescending() Option { return func(s *settings) { s.order.Desc = true } }

// WithNaNLast puts NaN after +Inf instead of before −Inf in ascending order.
func WithNaNLast() Option { return func(s *settings) { s.order.NaNLast = true } }

// WithEqualZeros makes −0 and +0 tie, and all NaNs tie. Pairs and argsort leave them in
// their input order, as NumPy's stable sorts do. The keys of pairs keep their bits. It
// changes nothing for integers and for keys alone.
func WithEqualZeros() Option { return func(s *settings) { s.order.EqualZeros = true } }

// WithWorkers sets the number of goroutines; 0, the default, is one per processor.
func WithWorkers(n int) Option { return func(s *settings) { s.workers = n } }

// WithMemoryLimit limits the memory that a sort takes besides the data, in bytes. If
// they need more, keys alone are sorted in place, and pairs and argsort in parts that
// are merged in place; the lower the limit, the longer that takes. Pairs and argsort
// take at least 8 MiB and 1 MiB a worker. 0 is no limit.
func WithMemoryLimit(bytes uint64) Option { return func(s *settings) { s.memory = bytes } }

// Sorter sorts with one configuration. It holds nothing that must be closed, and is
// safe for several goroutines at once.
type Sorter struct{ set settings }

// New makes a Sorter. It fails if the number of workers is negative, or an option is nil.
func New(opts ...Option) (*Sorter, error) {
	s := &Sorter{}
	for i, o := range opts {
		if o == nil {
			return nil, fmt.Errorf("cpu: New: %w: option %d of %d is nil: leave it out", ErrUnsupported, i+1, len(opts))
		}
		o(&s.set)
	}
	if s.set.workers < 0 {
		return nil, fmt.Errorf("cpu: New: %w: %d workers: give 0 for one per processor, or more", ErrUnsupported, s.set.workers)
	}
	return s, nil
}

// Close does nothing. It is there so that one interface fits the Sorters of this
// package and of package gpusort.
func (s *Sorter) Close() error { return nil }

// with is the settings of s under ctx; those of New without options if s is nil.
func (s *Sorter) with(ctx context.Context) settings {
	var set settings
	if s != nil {
		set = s.set
	}
	set.ctx = ctx
	return set
}

// SortWith sorts x in place. ctx cancels; a nil ctx never does. An error is the
// context's; x then holds all its elements in some order.
func SortWith[T AnyKey](ctx context.Context, s *Sorter, x []T) error {
	return failed("SortWith", sortKeys(x, s.with(ctx)))
}

// SortPairsWith is SortPairs with ctx and in the order of s. Lengths that differ are
// an error. After an error pairs are still together.
func SortPairsWith[K AnyKey, V any](ctx context.Context, s *Sorter, k []K, v []V) error {
	if err := checkPairs("SortPairsWith", k, v); err != nil {
		return err
	}
	return failed("SortPairsWith", sortPairs(k, v, s.with(ctx)))
}

// ArgsortWith writes the stable order of x as indices to idx, which is as long
// as x. It never changes x. After an error the contents of idx are undefined.
func ArgsortWith[T AnyKey, I Index](ctx context.Context, s *Sorter, idx []I, x []T) error {
	if err := checkIndex("ArgsortWith", idx, x); err != nil {
		return err
	}
	return failed("ArgsortWith", argsort(idx, x, s.with(ctx)))
}

// IsSortedWith reports whether x is in the order of s.
func IsSortedWith[T AnyKey](s *Sorter, x []T) bool {
	return firstDisorder(x, s.with(context.Background()).order) < 0
}

// failed names the operation of an error.
func failed(name string, err error) error {
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[op.Refused](err); ok {
		return fmt.Errorf("cpu: %s: %w: %w", name, ErrUnsupported, refused)
	}
	return fmt.Errorf("cpu: %s: %w", name, err)
}
