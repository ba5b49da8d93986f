package cpu

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/segments"
	"github.com/gpusort/gpusort/internal/key"
)

// Integer is the set of types of offsets, and of indices of segments.
type Integer interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64 |
		~int | ~uint | ~uintptr
}

// SortSegments sorts each segment of x by itself, in place and in ascending order.
// Segment i is x[offsets[i]:offsets[i+1]], as in Arrow: there is one offset more than
// segments, and what lies before the first and behind the last stays as it is. Long
// segments are sorted by all processors one after the other, short ones side by side.
// Scratch is what Sort takes for the longest. It panics, before it changes anything, if
// offsets do not ascend or are not from 0 to len(x).
func SortSegments[T AnyKey, O Integer](x []T, offsets []O) {
	must("SortSegments", segments.Sort(typeOf[T](), x, offsets, key.Order{}, cpu.Options{}))
}

// SortSegmentsDesc is SortSegments in descending order.
func SortSegmentsDesc[T AnyKey, O Integer](x []T, offsets []O) {
	must("SortSegmentsDesc", segments.Sort(typeOf[T](), x, offsets, key.Order{Desc: true}, cpu.Options{}))
}

// SortSegmentsWith is SortSegments in the order of s, with its workers, until ctx ends.
// Wrong offsets are an error; after any other each segment holds all its keys in some
// order.
func SortSegmentsWith[T AnyKey, O Integer](ctx context.Context, s *Sorter, x []T, offsets []O) error {
	return s.onHost(ctx, "SortSegmentsWith", func(o key.Order, h cpu.Options) error {
		return segments.Sort(typeOf[T](), x, offsets, o, h)
	})
}

// ArgsortSegments writes to idx, which is as long as x, the positions in x that put
// each segment in ascending order, equal keys in order of position: for segment [lo,
// hi), x[idx[lo]] ≤ x[idx[lo+1]] ≤ … ≤ x[idx[hi-1]]. Where no segment is, idx[i] is i.
// Segments are those of SortSegments. It leaves x as it is. Scratch is what Argsort
// takes for the longest segment, and 4 bytes an item for indices of one or two bytes.
// It panics if the lengths differ, x is too long for type I, or offsets do not ascend
// or are not from 0 to len(x).
func ArgsortSegments[I Integer, T AnyKey, O Integer](idx []I, x []T, offsets []O) {
	must("ArgsortSegments", segments.Argsort(typeOf[T](), idx, x, offsets, key.Order{}, cpu.Options{}))
}

// ArgsortSegmentsDesc is ArgsortSegments in descending order, stable too.
func ArgsortSegmentsDesc[I Integer, T AnyKey, O Integer](idx []I, x []T, offsets []O) {
	must("ArgsortSegmentsDesc", segments.Argsort(typeOf[T](), idx, x, offsets, key.Order{Desc: true}, cpu.Options{}))
}

// ArgsortSegmentsWith is ArgsortSegments in the order of s, with its workers, until ctx
// ends. What ArgsortSegments panics for is an error, which leaves idx as it is; after
// any other its contents are undefined.
func ArgsortSegmentsWith[I Integer, T AnyKey, O Integer](ctx context.Context, s *Sorter, idx []I, x []T, offsets []O) error {
	return s.onHost(ctx, "ArgsortSegmentsWith", func(o key.Order, h cpu.Options) error {
		return segments.Argsort(typeOf[T](), idx, x, offsets, o, h)
	})
}

// SortRows sorts each row of a matrix by itself, in place and in ascending order. The
// rows, of so many columns, lie one behind the other in x. Time and memory are those of
// SortSegments. It panics, before it changes anything, if columns is less than 1 or
// does not divide len(x).
func SortRows[T AnyKey](x []T, columns int) {
	must("SortRows", segments.SortRows(typeOf[T](), x, columns, key.Order{}, cpu.Options{}))
}

// SortRowsDesc is SortRows in descending order.
func SortRowsDesc[T AnyKey](x []T, columns int) {
	must("SortRowsDesc", segments.SortRows(typeOf[T](), x, columns, key.Order{Desc: true}, cpu.Options{}))
}

// SortRowsWith is SortRows in the order of s, with its workers, until ctx ends. Wrong
// columns are an error; after any other each row holds all its keys in some order.
func SortRowsWith[T AnyKey](ctx context.Context, s *Sorter, x []T, columns int) error {
	return s.onHost(ctx, "SortRowsWith", func(o key.Order, h cpu.Options) error {
		return segments.SortRows(typeOf[T](), x, columns, o, h)
	})
}
