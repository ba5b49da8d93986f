package gpusort

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/merging"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
	"github.com/gpusort/gpusort/internal/algo/cpu/search"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// GatherBuffer copies src[idx[i]] to dst[i] for every i, on their device, and waits. dst is as
// long as idx and overlaps neither of the others. An index out of range is an error. After an
// error the contents of dst are undefined.
func GatherBuffer[T any, I Index](ctx context.Context, dst, src *Buffer[T], idx *Buffer[I]) error {
	const name = "GatherBuffer"
	if err := cmp.Or(idx.check(name), src.check(name), dst.check(name)); err != nil {
		return err
	}
	if dst.n != idx.n {
		return lengths(name, "items in dst", dst.n, "indices", idx.n)
	}
	width := int(unsafe.Sizeof(*new(T)))
	if width == 0 {
		return nil
	}
	p := op.Spec{Kind: op.Gather, Type: key.TypeOf[I, Float16, BFloat16](), Items: uint64(idx.n), Other: uint64(src.n), Width: width}
	_, err := idx.s.find(ctx, name, p, engine.Regions{idx.region(), src.region(), dst.region()}, func(_ key.Order, h cpu.Options, m op.Memory) error {
		places := view[I](m, op.KeysIO, idx.n)
		if i := slices.IndexFunc(places, func(i I) bool { return uint64(i) >= uint64(src.n) }); i >= 0 {
			return op.Refuse("place %d is outside the source of %d items", places[i], src.n)
		}
		return rows.Gather(h, view[T](m, op.OtherIO, dst.n), view[T](m, op.ValuesIO, src.n), places)
	})
	return err
}

// SearchBuffer writes to pos, for each query, the first place in sorted whose key does not
// belong before it, in the order of the Buffers' Sorter, or sorted.Len(). sorted is in that
// order. pos is as long as queries and overlaps neither of the others. After an error its
// contents are undefined.
func SearchBuffer[T AnyKey, I Index](ctx context.Context, pos *Buffer[I], sorted, queries *Buffer[T]) error {
	const name = "SearchBuffer"
	if err := cmp.Or(queries.check(name), pos.check(name), sorted.check(name)); err != nil {
		return err
	}
	if pos.n != queries.n {
		return lengths(name, "positions", pos.n, "queries", queries.n)
	}
	p := op.Spec{
		Kind: op.Search, Type: typeOf[T](), Order: queries.s.order, Mode: op.Argsort,
		Items: uint64(queries.n), Other: uint64(sorted.n), ValueBytes: int(unsafe.Sizeof(*new(I))),
	}
	_, err := queries.s.find(ctx, name, p, engine.Regions{queries.region(), pos.region(), sorted.region()}, func(o key.Order, h cpu.Options, m op.Memory) error {
		found, err := search.Positions(typeOf[T](), view[T](m, op.OtherIO, sorted.n), view[T](m, op.KeysIO, queries.n), o, h)
		assign(view[I](m, op.ValuesIO, pos.n), found)
		return err
	})
	return err
}

// MergeBuffer merges a and b, both in the order of the Buffers' Sorter, into dst, which is as
// long as both together and overlaps neither. After an error its contents are undefined.
func MergeBuffer[T AnyKey](ctx context.Context, dst, a, b *Buffer[T]) error {
	const name = "MergeBuffer"
	if err := cmp.Or(a.check(name), b.check(name), dst.check(name)); err != nil {
		return err
	}
	if dst.n != a.n+b.n {
		return fmt.Errorf("gpusort: %s: dst has %d items, the runs %d and %d: it must be as long as both", name, dst.n, a.n, b.n)
	}
	p := op.Spec{Kind: op.Merge, Type: typeOf[T](), Order: a.s.order, Items: uint64(a.n), Other: uint64(b.n)}
	_, err := a.s.find(ctx, name, p, engine.Regions{a.region(), b.region(), dst.region()}, func(o key.Order, h cpu.Options, m op.Memory) error {
		return merging.Keys(typeOf[T](), view[T](m, op.OtherIO, dst.n), [][]T{view[T](m, op.KeysIO, a.n), view[T](m, op.ValuesIO, b.n)}, o, h)
	})
	return err
}
