package gpusort

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// Spread is memory for n items on all devices of a Sorter that was made for several, as
// by WithDevice("cuda:all"): a part of equal length, within one item, on each. A sort
// leaves in each part the items that belong there, whatever they are: part 0 has the
// first of all. If the Sorter has one device or none, there is one part. A Spread is used
// by one goroutine at a time.
type Spread[T any] struct {
	s      *Sorter
	memory *engine.Spread
	n      int
}

// NewSpread reserves memory for n items over the devices of s. Its contents are
// undefined. T holds no pointers. The caller closes it before s.
func NewSpread[T any](s *Sorter, n int) (*Spread[T], error) {
	if _, err := plainBytes[T]("NewSpread", n); err != nil {
		return nil, err
	}
	if err := s.check("NewSpread"); err != nil {
		return nil, err
	}
	var t T
	m, err := s.engine.AllocSpread(uint64(n), uint64(unsafe.Sizeof(t)))
	if err != nil {
		return nil, fail("NewSpread", err)
	}
	return &Spread[T]{s: s, memory: m, n: n}, nil
}

// check returns an error if p was not made by NewSpread.
func (p *Spread[T]) check(op string) error {
	if p == nil || p.memory == nil {
		return fmt.Errorf("gpusort: %s: %w: the Spread is nil or zero: make one with NewSpread", op, ErrClosed)
	}
	return nil
}

// Len is the number of items in all parts; 0 for a nil Spread.
func (p *Spread[T]) Len() int {
	if p == nil {
		return 0
	}
	return p.n
}

// Parts are the parts, each on its device, in order; none of a nil or zero Spread. They
// share the memory of the Spread, and closing them frees nothing.
func (p *Spread[T]) Parts() []*Buffer[T] {
	if p.check("Spread.Parts") != nil {
		return nil
	}
	var t T
	var out []*Buffer[T]
	left := p.n
	for _, r := range p.memory.Parts() {
		n := left // of items without a size, the first part has all
		if size := uint64(unsafe.Sizeof(t)); size != 0 {
			n = int(r.Bytes / size)
		}
		out = append(out, &Buffer[T]{s: p.s, memory: r.M, n: n, parent: true})
		left -= n
	}
	return out
}

// Upload copies src, which is as long as the Spread, to the devices, to all at once.
func (p *Spread[T]) Upload(ctx context.Context, src []T) error {
	return p.transfer(ctx, "Spread.Upload", src, (*Buffer[T]).Upload)
}

// Download copies the Spread to dst, which is as long. After an error the contents of dst
// are undefined; the Spread is as it was.
func (p *Spread[T]) Download(ctx context.Context, dst []T) error {
	return p.transfer(ctx, "Spread.Download", dst, (*Buffer[T]).Download)
}

func (p *Spread[T]) transfer(ctx context.Context, name string, host []T, f func(*Buffer[T], context.Context, []T) error) error {
	if err := p.check(name); err != nil {
		return err
	}
	if len(host) != p.n {
		return lengths(name, "items in the slice", len(host), "in the spread", p.n)
	}
	parts := p.Parts()
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, b := range parts {
		mine := host[:b.n]
		host = host[b.n:]
		wg.Go(func() { errs[i] = f(b, ctx, mine) })
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// Close frees the memory. A second Close is a no-op.
func (p *Spread[T]) Close() error {
	if err := p.check("Spread.Close"); err != nil {
		return err
	}
	return fail("Spread.Close", p.memory.Close())
}

// SortSpread sorts the items in place across their devices, in the order of the Spread's
// Sorter, and waits. After an error the Spread's contents are undefined.
func SortSpread[T Key](ctx context.Context, p *Spread[T]) error {
	if err := p.check("SortSpread"); err != nil {
		return err
	}
	return p.s.runSpread(ctx, "SortSpread", op.Spec{Type: key.Of[T](), Items: uint64(p.n)}, p.memory, nil)
}

// SortPairsSpread sorts the keys and moves the values along, stable. Both are of one
// Sorter. Values have 4 or 8 bytes. After an error the contents of both are undefined.
func SortPairsSpread[K Key, V any](ctx context.Context, keys *Spread[K], values *Spread[V]) error {
	const name = "SortPairsSpread"
	if err := cmp.Or(keys.check(name), values.check(name)); err != nil {
		return err
	}
	if keys.n != values.n {
		return lengths(name, "keys", keys.n, "values", values.n)
	}
	if keys.s != values.s {
		return fmt.Errorf("gpusort: %s: %w: keys and values are of different Sorters", name, ErrUnsupported)
	}
	var v V
	p := op.Spec{Type: key.Of[K](), Mode: op.Pairs, Items: uint64(keys.n), ValueBytes: int(unsafe.Sizeof(v))}
	if any(keys) == any(values) {
		return fmt.Errorf("gpusort: %s: %w: keys and values overlap: give each its own memory", name, ErrUnsupported)
	}
	return keys.s.runSpread(ctx, name, p, keys.memory, values.memory)
}

// ArgsortSpread writes the stable order of the keys as indices among all of them to idx, the
// first of which are in part 0. It does not change the keys. Both are of one Sorter. After
// an error the contents of idx are undefined.
func ArgsortSpread[T Key, I Index](ctx context.Context, idx *Spread[I], keys *Spread[T]) error {
	const name = "ArgsortSpread"
	if err := cmp.Or(keys.check(name), idx.check(name)); err != nil {
		return err
	}
	switch {
	case keys.n != idx.n:
		return lengths(name, "keys", keys.n, "indices", idx.n)
	case keys.s != idx.s:
		return fmt.Errorf("gpusort: %s: %w: keys and indices are of different Sorters", name, ErrUnsupported)
	case any(keys) == any(idx):
		return fmt.Errorf("gpusort: %s: %w: keys and indices overlap: give each its own memory", name, ErrUnsupported)
	case !op.HoldsIndices[I](keys.n):
		return fmt.Errorf("gpusort: %s: %w: indices of %d items do not fit %T: use an 8-byte index type", name, ErrUnsupported, keys.n, *new(I))
	}
	p := op.Spec{Type: key.Of[T](), Mode: op.Argsort, Items: uint64(keys.n), ValueBytes: int(unsafe.Sizeof(*new(I)))}
	return keys.s.runSpread(ctx, name, p, keys.memory, idx.memory)
}

func (s *Sorter) runSpread(ctx context.Context, name string, p op.Spec, keys, values *engine.Spread) error {
	p.Order = s.order
	r, err := s.engine.RunSpread(orBackground(ctx), p, keys, values)
	s.note(ctx, r)
	return fail(name, err)
}
