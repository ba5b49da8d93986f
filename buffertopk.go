package gpusort

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/topk"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// SmallestBuffer writes the first dst.Len() keys of x, in the order of the Buffers' Sorter, to
// dst in that order, on their device: what SortBuffer would put first. dst is not longer than
// x and does not overlap it; x stays as it is. After an error the contents of dst are
// undefined.
func SmallestBuffer[T AnyKey](ctx context.Context, dst, x *Buffer[T]) error {
	return leastKeys(ctx, "SmallestBuffer", dst, x, false)
}

// LargestBuffer is SmallestBuffer in the reverse order: the last keys, the last of all first.
func LargestBuffer[T AnyKey](ctx context.Context, dst, x *Buffer[T]) error {
	return leastKeys(ctx, "LargestBuffer", dst, x, true)
}

// ArgSmallestBuffer writes the positions of the keys that SmallestBuffer finds to idx, in
// their order: the beginning of what ArgsortBuffer writes. Of equal keys the earlier are taken
// and come first. Else as SmallestBuffer.
func ArgSmallestBuffer[T AnyKey, I Index](ctx context.Context, idx *Buffer[I], x *Buffer[T]) error {
	return leastPositions(ctx, "ArgSmallestBuffer", idx, x, false)
}

// ArgLargestBuffer is ArgSmallestBuffer in the reverse order; of equal keys, too, the earlier
// come first.
func ArgLargestBuffer[T AnyKey, I Index](ctx context.Context, idx *Buffer[I], x *Buffer[T]) error {
	return leastPositions(ctx, "ArgLargestBuffer", idx, x, true)
}

// SelectBuffer returns the key that SortBuffer would put at place k of x, on its device. x stays
// as it is. k is from 0 to x.Len()-1.
func SelectBuffer[T AnyKey](ctx context.Context, x *Buffer[T], k int) (v T, err error) {
	const name = "SelectBuffer"
	if err := x.check(name); err != nil {
		return v, err
	}
	if k < 0 || k >= x.n {
		return v, fmt.Errorf("gpusort: %s: place %d of %d keys: it must be from 0 to %d", name, k, x.n, x.n-1)
	}
	p := op.Spec{Kind: op.Select, Type: typeOf[T](), Order: x.s.order, Items: uint64(x.n), Other: uint64(k)}
	bits, err := x.s.find(ctx, name, p, engine.Regions{x.region()}, func(o key.Order, h cpu.Options, m op.Memory) error {
		// Of a copy, which it reorders.
		v, err = topk.Select(typeOf[T](), slices.Clone(view[T](m, op.KeysIO, x.n)), k, o, h)
		return err
	})
	if err == nil && !x.OnHost() {
		v = *(*T)(unsafe.Pointer(&bits)) // a device's host is little-endian, and T has 8 bytes at most
	}
	return v, err
}

// leastKeys is SmallestBuffer, or LargestBuffer if the order is reversed.
func leastKeys[T AnyKey](ctx context.Context, name string, dst, x *Buffer[T], reversed bool) error {
	if err := cmp.Or(x.check(name), dst.check(name)); err != nil {
		return err
	}
	p, err := leastOf(name, x, dst.n, reversed)
	if err != nil {
		return err
	}
	_, err = x.s.find(ctx, name, p, engine.Regions{op.KeysIO: x.region(), op.OtherIO: dst.region()}, func(o key.Order, h cpu.Options, m op.Memory) error {
		y, err := topk.Smallest(typeOf[T](), view[T](m, op.KeysIO, x.n), dst.n, o, h)
		copy(view[T](m, op.OtherIO, dst.n), y)
		return err
	})
	return err
}

// leastPositions is ArgSmallestBuffer, or ArgLargestBuffer if the order is reversed.
func leastPositions[T AnyKey, I Index](ctx context.Context, name string, idx *Buffer[I], x *Buffer[T], reversed bool) error {
	if err := cmp.Or(x.check(name), idx.check(name)); err != nil {
		return err
	}
	p, err := leastOf(name, x, idx.n, reversed)
	if err != nil {
		return err
	}
	p.Mode, p.ValueBytes = op.Argsort, int(unsafe.Sizeof(*new(I)))
	_, err = x.s.find(ctx, name, p, engine.Regions{x.region(), idx.region()}, func(o key.Order, h cpu.Options, m op.Memory) error {
		y, err := topk.Positions(typeOf[T](), view[T](m, op.KeysIO, x.n), idx.n, o, h)
		assign(view[I](m, op.ValuesIO, idx.n), y)
		return err
	})
	return err
}

// leastOf is the operation that finds the first k keys of x.
func leastOf[T AnyKey](name string, x *Buffer[T], k int, reversed bool) (op.Spec, error) {
	if k > x.n {
		return op.Spec{}, fmt.Errorf("gpusort: %s: %d of %d keys: make the result no longer than x", name, k, x.n)
	}
	o := x.s.order
	if reversed {
		o = reverse(o)
	}
	return op.Spec{Kind: op.Least, Type: typeOf[T](), Order: o, Items: uint64(x.n), Other: uint64(k)}, nil
}
