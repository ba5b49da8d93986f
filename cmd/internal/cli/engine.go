package cli

import (
	"context"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/internal/key"
)

// work is one sort of columns: keys alone, keys with values, or keys to
// indices. At most one of values and index is set.
type work struct {
	s      *gpusort.Sorter
	keys   *format.Column
	values *format.Column
	index  *format.Column // of 4 or 8 bytes
}

// run sorts keys and values in place, or fills index and leaves keys alone.
func (w *work) run(ctx context.Context) error {
	return key.ByType(w.keys.Type, runAs[uint8], runAs[int8], runAs[uint16], runAs[int16], runAs[uint32],
		runAs[int32], runAs[uint64], runAs[int64], runAs[float32], runAs[float64])(ctx, w)
}

func runAs[K gpusort.Key](ctx context.Context, w *work) error {
	k := format.View[K](w.keys)
	switch {
	case w.index != nil && w.index.Bytes == 4:
		return gpusort.ArgsortWith(ctx, w.s, format.View[uint32](w.index), k)
	case w.index != nil:
		return gpusort.ArgsortWith(ctx, w.s, format.View[uint64](w.index), k)
	case w.values == nil:
		return gpusort.SortWith(ctx, w.s, k)
	}
	switch w.values.Bytes {
	case 1:
		return gpusort.SortPairsWith(ctx, w.s, k, format.View[uint8](w.values))
	case 2:
		return gpusort.SortPairsWith(ctx, w.s, k, format.View[uint16](w.values))
	case 4:
		return gpusort.SortPairsWith(ctx, w.s, k, format.View[uint32](w.values))
	case 8:
		return gpusort.SortPairsWith(ctx, w.s, k, format.View[uint64](w.values))
	case 16:
		return gpusort.SortPairsWith(ctx, w.s, k, format.View[[2]uint64](w.values))
	}
	return gatherAny(ctx, w, k)
}

// gatherAny is gatherValues with positions that are as short as they may be.
func gatherAny[K gpusort.Key](ctx context.Context, w *work, k []K) error {
	if uint64(len(k)) > 1<<32 {
		return gatherValues[uint64](ctx, w, k)
	}
	return gatherValues[uint32](ctx, w, k)
}

// gatherValues sorts the keys with their positions and then moves values of
// any width.
func gatherValues[I uint32 | uint64, K gpusort.Key](ctx context.Context, w *work, k []K) error {
	idx := make([]I, len(k))
	for i := range idx {
		idx[i] = I(i)
	}
	if err := gpusort.SortPairsWith(ctx, w.s, k, idx); err != nil {
		return err
	}
	n := w.values.Bytes
	moved := make([]byte, 0, len(w.values.Data))
	for _, i := range idx {
		at := int(i) * n
		moved = append(moved, w.values.Data[at:at+n]...)
	}
	w.values.Data = moved
	return nil
}
