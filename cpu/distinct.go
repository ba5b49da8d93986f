package cpu

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/distinct"
	"github.com/gpusort/gpusort/internal/key"
)

// Unique replaces runs of equal keys in x by one of each, as slices.Compact does, and
// returns what x then begins with; the rest of x becomes zero. Keys are equal if their
// bits are, so that −0 and +0 are not, and every NaN equals itself. x is sorted,
// ascending or descending. O(n), in place.
func Unique[T AnyKey](x []T) []T {
	y, err := distinct.Unique(typeOf[T](), x, key.Order{}, cpu.Options{})
	must("Unique", err)
	return y
}

// Count returns the distinct keys of x in ascending order, and how often each occurs.
// Keys are equal if their bits are. x need not be sorted, and stays as it is. Where a
// sample shows four times as many keys as distinct ones, only these are sorted: O(n), with
// a table of up to 1 MiB a worker, and for more than 8,192 distinct ones 8 bytes a key and
// 16 a distinct one. Else it sorts a copy, which the values may be part of, and scratch is
// 8 bytes a key and what Sort takes.
func Count[T AnyKey](x []T) (values []T, counts []int) {
	values, counts, err := distinct.Count(typeOf[T](), x, key.Order{}, cpu.Options{})
	must("Count", err)
	return values, counts
}

// CountDesc is Count in descending order.
func CountDesc[T AnyKey](x []T) (values []T, counts []int) {
	values, counts, err := distinct.Count(typeOf[T](), x, key.Order{Desc: true}, cpu.Options{})
	must("CountDesc", err)
	return values, counts
}

// Groups returns where each run of equal keys in sorted begins, and len(sorted) behind:
// run i is sorted[starts[i]:starts[i+1]]. These are the offsets that SortSegments
// takes. Keys are equal if their bits are; the order of runs does not matter. It reads
// the keys twice: O(n).
func Groups[T AnyKey](sorted []T) []int {
	y, err := distinct.Groups(typeOf[T](), sorted, key.Order{}, cpu.Options{})
	must("Groups", err)
	return y
}

// UniqueWith is Unique with the workers of s, until ctx ends. With WithEqualZeros of s
// −0 and +0 are equal, and so are all NaNs; the first of a run is kept. After an error
// x holds each key that Unique would keep at least once, in order or not.
func UniqueWith[T AnyKey](ctx context.Context, s *Sorter, x []T) (y []T, err error) {
	err = s.onHost(ctx, "UniqueWith", func(o key.Order, h cpu.Options) (err error) {
		y, err = distinct.Unique(typeOf[T](), x, o, h)
		return err
	})
	return y, err
}

// CountWith is Count in the order of s, with its workers, until ctx ends. With
// WithEqualZeros of s −0 and +0 count as one key, and so do all NaNs: that of them
// which a sort puts first.
func CountWith[T AnyKey](ctx context.Context, s *Sorter, x []T) (values []T, counts []int, err error) {
	err = s.onHost(ctx, "CountWith", func(o key.Order, h cpu.Options) (err error) {
		values, counts, err = distinct.Count(typeOf[T](), x, o, h)
		return err
	})
	return values, counts, err
}

// GroupsWith is Groups with the workers of s, until ctx ends. With WithEqualZeros of s
// −0 and +0 are equal, and so are all NaNs.
func GroupsWith[T AnyKey](ctx context.Context, s *Sorter, sorted []T) (y []int, err error) {
	err = s.onHost(ctx, "GroupsWith", func(o key.Order, h cpu.Options) (err error) {
		y, err = distinct.Groups(typeOf[T](), sorted, o, h)
		return err
	})
	return y, err
}
