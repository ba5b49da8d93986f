package cpu

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
	"github.com/gpusort/gpusort/internal/key"
)

// SortBy sorts x in place by the first of orders, elements with equal keys by the next,
// and so on; where all are equal they keep their order.
//
//	cpu.SortBy(people, cpu.By(func(p *Person) string { return p.Last }),
//		cpu.By(func(p *Person) time.Time { return p.Born }).Desc())
//
// Besides x it takes a copy of x, the keys, and some 60 bytes an element. A panic in a key
// function reaches the caller, and x is as it was. x has at most 2^32 − 1 elements.
func SortBy[T any](x []T, orders ...Order[T]) {
	rows.SortNow(x, unwrapped(orders), must)
}

// SortByWith is SortBy with the workers of s, until ctx ends; the directions are those of
// orders alone. After an error x is as it was. Where it has more than 96 MiB, or s limits
// memory to less than a copy of it, elements are moved one by one, and if ctx ends while
// they are, they are in another order.
func SortByWith[T any](ctx context.Context, s *Sorter, x []T, orders ...Order[T]) error {
	return s.onHost(ctx, "SortByWith", func(_ key.Order, h cpu.Options) error {
		return rows.Sort(h, x, unwrapped(orders))
	})
}

// ArgsortBy returns the positions that put x in the order of SortBy. It leaves x as it is.
func ArgsortBy[T any](x []T, orders ...Order[T]) []int {
	idx := make([]int, len(x))
	must("ArgsortBy", rows.Indices(cpu.Options{}, idx, x, unwrapped(orders)))
	return idx
}

// ArgsortByWith writes what ArgsortBy returns to idx, which is as long as x, with the
// workers of s, until ctx ends. Indices of 4 bytes take least memory. After an error the
// contents of idx are undefined.
func ArgsortByWith[T any, I Integer](ctx context.Context, s *Sorter, idx []I, x []T, orders ...Order[T]) error {
	return s.onHost(ctx, "ArgsortByWith", func(_ key.Order, h cpu.Options) error {
		return rows.Indices(h, idx, x, unwrapped(orders))
	})
}

// Gather copies src[idx[i]] to dst[i] for every i, by all processors. dst is as long as
// idx and does not overlap src. It panics if the lengths differ, and where an index is
// out of range.
func Gather[T any, I Integer](dst, src []T, idx []I) {
	must("Gather", rows.Gather(cpu.Options{}, dst, src, idx))
}

// GatherWith is Gather with the workers of s, until ctx ends. Lengths that differ and an
// index out of range are errors; after any but the first the contents of dst are undefined.
func GatherWith[T any, I Integer](ctx context.Context, s *Sorter, dst, src []T, idx []I) error {
	return s.onHost(ctx, "GatherWith", func(_ key.Order, h cpu.Options) error {
		return rows.Gather(h, dst, src, idx)
	})
}

// Permute makes x[idx[i]] the new x[i] for every i, by all processors: with what Argsort
// returned of keys, it puts what belongs to them in order. It takes a copy of x. It
// panics if the lengths differ, and where an index is out of range; x is then as it was.
func Permute[T any, I Integer](x []T, idx []I) {
	must("Permute", rows.Permute(cpu.Options{}, x, idx))
}

// PermuteWith is Permute with the workers of s, until ctx ends. Lengths that differ and an
// index out of range are errors. After an error x is as it was. Where it has more than 96 MiB, and idx each place
// once, elements are moved one by one, and if ctx ends while they are, they are in another
// order.
func PermuteWith[T any, I Integer](ctx context.Context, s *Sorter, x []T, idx []I) error {
	return s.onHost(ctx, "PermuteWith", func(_ key.Order, h cpu.Options) error {
		return rows.Permute(h, x, idx)
	})
}
