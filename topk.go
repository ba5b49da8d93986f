package gpusort

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/topk"
	"github.com/gpusort/gpusort/internal/key"
)

// Smallest returns the k smallest keys of x, or all if x has fewer, in ascending order,
// in a new slice. It reads x once and sorts what it returns: O(n + k log k). Scratch is
// 3k keys and 16 KiB a worker, n/2 keys at most; from k = n/16 on, n keys. It panics if
// k is negative.
func Smallest[T AnyKey](x []T, k int) []T {
	y, err := topk.Smallest(typeOf[T](), x, k, key.Order{}, cpu.Options{})
	must("Smallest", err)
	return y
}

// Largest is Smallest in descending order: it returns the k largest keys, the largest
// first.
func Largest[T AnyKey](x []T, k int) []T {
	y, err := topk.Smallest(typeOf[T](), x, k, key.Order{Desc: true}, cpu.Options{})
	must("Largest", err)
	return y
}

// ArgSmallest returns the positions of the keys that Smallest returns, in that order:
// the first k of Argsort. Of equal keys the earlier are taken, and come first. It reads
// x twice. Scratch is that of Smallest, k positions a worker and 2k keys. It panics if
// k is negative.
func ArgSmallest[T AnyKey](x []T, k int) []int {
	y, err := topk.Positions(typeOf[T](), x, k, key.Order{}, cpu.Options{})
	must("ArgSmallest", err)
	return y
}

// ArgLargest is ArgSmallest in descending order; of equal keys, too, the earlier come
// first.
func ArgLargest[T AnyKey](x []T, k int) []int {
	y, err := topk.Positions(typeOf[T](), x, k, key.Order{Desc: true}, cpu.Options{})
	must("ArgLargest", err)
	return y
}

// Select reorders x so that x[k] is the key that Sort would put there, with none before
// it that is larger, and none behind it that is smaller. It returns that key. O(n), in
// place; keys of 8 and 16 bits are sorted. It panics if k is not from 0 to len(x)-1.
func Select[T AnyKey](x []T, k int) T {
	y, err := topk.Select(typeOf[T](), x, k, key.Order{}, cpu.Options{})
	must("Select", err)
	return y
}

// SelectDesc is Select in descending order: larger keys come before x[k], smaller ones
// behind.
func SelectDesc[T AnyKey](x []T, k int) T {
	y, err := topk.Select(typeOf[T](), x, k, key.Order{Desc: true}, cpu.Options{})
	must("SelectDesc", err)
	return y
}

// SmallestWith is Smallest on the CPU, in the order of s, with its workers, until ctx
// ends: what a sort by s would put first. A negative k is an error.
func SmallestWith[T AnyKey](ctx context.Context, s *Sorter, x []T, k int) (y []T, err error) {
	err = s.onHost(ctx, "SmallestWith", len(x), func(o key.Order, h cpu.Options) (err error) {
		y, err = topk.Smallest(typeOf[T](), x, k, o, h)
		return err
	})
	return y, err
}

// LargestWith is SmallestWith in the reverse of the order of s: what a sort by s would
// put last, the last first.
func LargestWith[T AnyKey](ctx context.Context, s *Sorter, x []T, k int) (y []T, err error) {
	err = s.onHost(ctx, "LargestWith", len(x), func(o key.Order, h cpu.Options) (err error) {
		y, err = topk.Smallest(typeOf[T](), x, k, reverse(o), h)
		return err
	})
	return y, err
}

// ArgSmallestWith is ArgSmallest on the CPU, in the order of s, with its workers, until
// ctx ends. A negative k is an error.
func ArgSmallestWith[T AnyKey](ctx context.Context, s *Sorter, x []T, k int) (y []int, err error) {
	err = s.onHost(ctx, "ArgSmallestWith", len(x), func(o key.Order, h cpu.Options) (err error) {
		y, err = topk.Positions(typeOf[T](), x, k, o, h)
		return err
	})
	return y, err
}

// ArgLargestWith is ArgSmallestWith in the reverse of the order of s.
func ArgLargestWith[T AnyKey](ctx context.Context, s *Sorter, x []T, k int) (y []int, err error) {
	err = s.onHost(ctx, "ArgLargestWith", len(x), func(o key.Order, h cpu.Options) (err error) {
		y, err = topk.Positions(typeOf[T](), x, k, reverse(o), h)
		return err
	})
	return y, err
}

// SelectWith is Select on the CPU, in the order of s, with its workers, until ctx ends.
// A k out of range is an error, which leaves x as it is; after any other x holds all
// its keys in some order.
func SelectWith[T AnyKey](ctx context.Context, s *Sorter, x []T, k int) (y T, err error) {
	err = s.onHost(ctx, "SelectWith", len(x), func(o key.Order, h cpu.Options) (err error) {
		y, err = topk.Select(typeOf[T](), x, k, o, h)
		return err
	})
	return y, err
}
