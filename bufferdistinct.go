package gpusort

import (
	"cmp"
	"context"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/distinct"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// UniqueBuffer writes one of each run of equal keys in sorted to the beginning of dst, on
// their device, and returns how many there are. Keys are equal if their bits are. dst does not
// overlap sorted. It may be shorter; an error says how many keys it must have room for. After
// an error its contents are undefined. Only a host's Buffers know WithEqualZeros here.
func UniqueBuffer[T AnyKey](ctx context.Context, dst, sorted *Buffer[T]) (n int, err error) {
	const name = "UniqueBuffer"
	if err := cmp.Or(sorted.check(name), dst.check(name)); err != nil {
		return 0, err
	}
	p := op.Spec{Kind: op.Groups, Type: typeOf[T](), Order: sorted.s.order, Items: uint64(sorted.n), Other: uint64(min(dst.n, sorted.n))}
	return groups[T, uint32](ctx, name, p, sorted, nil, dst)
}

// GroupsBuffer writes to starts where each run of equal keys in sorted begins, and behind the
// last one sorted.Len(), on their device, and returns how many runs there are: the offsets that
// SortSegmentsBuffer takes. starts has one item more than runs, or is longer, and does not
// overlap sorted. Else as UniqueBuffer.
func GroupsBuffer[T AnyKey, I Index](ctx context.Context, starts *Buffer[I], sorted *Buffer[T]) (n int, err error) {
	const name = "GroupsBuffer"
	if err := cmp.Or(sorted.check(name), starts.check(name)); err != nil {
		return 0, err
	}
	return runs(ctx, name, op.Argsort, sorted, starts, nil)
}

// RunsBuffer is UniqueBuffer and GroupsBuffer in one: run i of sorted is of values[i] and
// begins at starts[i]. With sorted keys that is Count, where starts[i+1]-starts[i] is how often
// a key occurs.
func RunsBuffer[T AnyKey, I Index](ctx context.Context, values *Buffer[T], starts *Buffer[I], sorted *Buffer[T]) (n int, err error) {
	const name = "RunsBuffer"
	if err := cmp.Or(sorted.check(name), values.check(name), starts.check(name)); err != nil {
		return 0, err
	}
	return runs(ctx, name, op.Pairs, sorted, starts, values)
}

// runs finds groups of which starts takes the beginnings, and values, if it is not nil, the keys.
func runs[T AnyKey, I Index](ctx context.Context, name string, mode op.Mode, sorted *Buffer[T], starts *Buffer[I], values *Buffer[T]) (int, error) {
	if starts.n == 0 {
		return 0, fmt.Errorf("gpusort: %s: starts has no items: it takes one more than there are runs", name)
	}
	if bytes := int(unsafe.Sizeof(*new(I))); bytes == 4 && uint64(sorted.n) > 1<<32-1 {
		return 0, fmt.Errorf("gpusort: %s: %d keys need starts of 8 bytes", name, sorted.n)
	}
	most := min(starts.n-1, sorted.n)
	if values != nil {
		most = min(most, values.n)
	}
	p := op.Spec{
		Kind: op.Groups, Type: typeOf[T](), Order: sorted.s.order, Mode: mode, Items: uint64(sorted.n),
		ValueBytes: int(unsafe.Sizeof(*new(I))), Other: uint64(most),
	}
	return groups(ctx, name, p, sorted, starts, values)
}

// groups carries out p. Of starts and values one may be nil.
func groups[T AnyKey, I Index](ctx context.Context, name string, p op.Spec, sorted *Buffer[T], starts *Buffer[I], values *Buffer[T]) (n int, err error) {
	at := engine.Regions{op.KeysIO: sorted.region()}
	if starts != nil {
		at[op.ValuesIO] = starts.region()
	}
	if values != nil {
		at[op.OtherIO] = values.region()
	}
	number, err := sorted.s.find(ctx, name, p, at, func(o key.Order, h cpu.Options, m op.Memory) error {
		x := view[T](m, op.KeysIO, sorted.n)
		found, err := distinct.Groups(typeOf[T](), x, o, h)
		if err != nil {
			return err
		}
		if n = len(found) - 1; n > int(p.Other) {
			return op.Refuse("there is room for %d groups, %d are there: make the buffers longer", p.Other, n)
		}
		if starts != nil {
			assign(view[I](m, op.ValuesIO, starts.n), found)
		}
		if values != nil {
			return rows.Gather(h, view[T](m, op.OtherIO, n), x, found[:n])
		}
		return nil
	})
	if !sorted.OnHost() {
		n = int(number)
	}
	if err != nil {
		return 0, err
	}
	return n, nil
}
