package cpu

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/merging"
	"github.com/gpusort/gpusort/internal/algo/cpu/search"
	"github.com/gpusort/gpusort/internal/key"
)

// Merge merges runs, each in ascending order, into dst, which is as long as all of them
// together and overlaps none. Equal keys are bits alike, so that it does not show from
// which run they come. O(n log r) for r runs, by all processors. Scratch is up to 2^18
// keys a worker, with more than 2,048 runs 2^17 and 64 a run, and for each 2^15 to 2^17
// keys 8 bytes a run and some samples. With fewer than 64 keys a run on average it
// sorts them all, with what Sort takes. Of runs in another order dst gets the keys in
// some order. It panics, before it changes anything, if the lengths do not add up.
func Merge[T AnyKey](dst []T, runs ...[]T) {
	must("Merge", merging.Keys(typeOf[T](), dst, runs, key.Order{}, cpu.Options{}))
}

// MergeDesc is Merge of runs in descending order.
func MergeDesc[T AnyKey](dst []T, runs ...[]T) {
	must("MergeDesc", merging.Keys(typeOf[T](), dst, runs, key.Order{Desc: true}, cpu.Options{}))
}

// MergeWith is Merge in the order of s, with its workers, until ctx ends. The result is
// what SortWith makes of all keys together. Lengths that do not add up are an error;
// after any other the contents of dst are undefined.
func MergeWith[T AnyKey](ctx context.Context, s *Sorter, dst []T, runs ...[]T) error {
	return s.onHost(ctx, "MergeWith", func(o key.Order, h cpu.Options) error {
		return merging.Keys(typeOf[T](), dst, runs, o, h)
	})
}

// Search returns, for each query, the first place in sorted whose key is not less, or
// len(sorted): what sort.Search and slices.BinarySearch find. sorted is in ascending
// order. O(log n) a query, less where queries are in order, too: many are looked up
// side by side, and 2^16 or more are sorted first. Scratch is some 32 bytes a query, at most 128 MB.
func Search[T AnyKey](sorted, queries []T) []int {
	y, err := search.Positions(typeOf[T](), sorted, queries, key.Order{}, cpu.Options{})
	must("Search", err)
	return y
}

// SearchDesc is Search in descending order: it returns the first places whose keys are
// not larger.
func SearchDesc[T AnyKey](sorted, queries []T) []int {
	y, err := search.Positions(typeOf[T](), sorted, queries, key.Order{Desc: true}, cpu.Options{})
	must("SearchDesc", err)
	return y
}

// SearchWith is Search in the order of s, with its workers, until ctx ends: it returns
// the first places whose keys do not belong before the queries.
func SearchWith[T AnyKey](ctx context.Context, s *Sorter, sorted, queries []T) (y []int, err error) {
	err = s.onHost(ctx, "SearchWith", func(o key.Order, h cpu.Options) (err error) {
		y, err = search.Positions(typeOf[T](), sorted, queries, o, h)
		return err
	})
	return y, err
}

// SortFunc sorts x in place by cmp, which returns a negative number where a belongs
// before b, a positive one where it belongs behind, and 0 if they tie; what ties keeps
// its order. It is for what has no key: a sort by keys is faster. A merge sort by all
// processors: O(n log n) calls of cmp, from several goroutines, and scratch as long as
// x. After a panic of cmp, which reaches the caller, x holds all its items in some
// order; so it does where cmp contradicts itself, as a < b of floats does with NaNs.
func SortFunc[T any](x []T, cmp func(a, b T) int) {
	must("SortFunc", merging.Func(x, cmp, false, cpu.Options{}))
}

// SortFuncDesc is SortFunc in the reverse order of cmp, stable too.
func SortFuncDesc[T any](x []T, cmp func(a, b T) int) {
	must("SortFuncDesc", merging.Func(x, cmp, true, cpu.Options{}))
}

// SortFuncWith is SortFunc with the workers of s, and in reverse order with
// WithDescending, until ctx ends. After an error x holds all its items in some order;
// that takes up to as long as a copy of x.
func SortFuncWith[T any](ctx context.Context, s *Sorter, x []T, cmp func(a, b T) int) error {
	return s.onHost(ctx, "SortFuncWith", func(o key.Order, h cpu.Options) error {
		return merging.Func(x, cmp, o.Desc, h)
	})
}
