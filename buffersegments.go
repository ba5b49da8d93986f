package gpusort

import (
	"cmp"
	"context"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/segments"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// SortSegmentsBuffer sorts each segment of x by itself, in place, in the order of the Buffers'
// Sorter, on their device. Segment i is x[offsets[i]:offsets[i+1]]; what lies outside stays as
// it is. Offsets that do not ascend, or are not from 0 to x.Len(), are an error, and x is then
// as it was. After any other error its contents are undefined.
func SortSegmentsBuffer[T AnyKey, O Index](ctx context.Context, x *Buffer[T], offsets *Buffer[O]) error {
	const name = "SortSegmentsBuffer"
	if err := cmp.Or(x.check(name), offsets.check(name)); err != nil {
		return err
	}
	p, err := segmentsOf(name, x, offsets)
	if err != nil {
		return err
	}
	_, err = x.s.find(ctx, name, p, engine.Regions{op.KeysIO: x.region(), op.OtherIO: offsets.region()}, func(o key.Order, h cpu.Options, m op.Memory) error {
		return segments.Sort(typeOf[T](), view[T](m, op.KeysIO, x.n), view[O](m, op.OtherIO, offsets.n), o, h)
	})
	return err
}

// ArgsortSegmentsBuffer writes to idx the positions in x that put each segment in order, equal
// keys in order of position. idx is as long as x and overlaps no other Buffer; where no segment
// is, idx[i] is i. It does not change x. Else as SortSegmentsBuffer.
func ArgsortSegmentsBuffer[T AnyKey, I, O Index](ctx context.Context, idx *Buffer[I], x *Buffer[T], offsets *Buffer[O]) error {
	const name = "ArgsortSegmentsBuffer"
	if err := cmp.Or(x.check(name), idx.check(name), offsets.check(name)); err != nil {
		return err
	}
	if idx.n != x.n {
		return lengths(name, "keys", x.n, "indices", idx.n)
	}
	p, err := segmentsOf(name, x, offsets)
	if err != nil {
		return err
	}
	p.Mode, p.ValueBytes = op.Argsort, int(unsafe.Sizeof(*new(I)))
	_, err = x.s.find(ctx, name, p, engine.Regions{x.region(), idx.region(), offsets.region()}, func(o key.Order, h cpu.Options, m op.Memory) error {
		return segments.Argsort(typeOf[T](), view[I](m, op.ValuesIO, idx.n), view[T](m, op.KeysIO, x.n), view[O](m, op.OtherIO, offsets.n), o, h)
	})
	return err
}

// segmentsOf is the operation that sorts x by segments.
func segmentsOf[T AnyKey, O any](name string, x *Buffer[T], offsets *Buffer[O]) (op.Spec, error) {
	if offsets.n == 0 {
		return op.Spec{}, fmt.Errorf("gpusort: %s: no offsets: there is one more than segments", name)
	}
	return op.Spec{
		Kind: op.Segments, Type: typeOf[T](), Order: x.s.order, Items: uint64(x.n),
		Other: uint64(offsets.n) - 1, Width: int(unsafe.Sizeof(*new(O))),
	}, nil
}
