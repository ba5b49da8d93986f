package cpu

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/sets"
	"github.com/gpusort/gpusort/internal/key"
)

// Union returns the keys that are in a, in b, or in both, each once and in ascending
// order, in a new slice. a and b are in ascending order; keys are equal if their bits
// are. O(len(a) + len(b)): both are read twice.
func Union[T AnyKey](a, b []T) []T {
	y, err := sets.Combine(typeOf[T](), sets.Union, a, b, key.Order{}, cpu.Options{})
	must("Union", err)
	return y
}

// UnionDesc is Union in descending order, which a and b are in.
func UnionDesc[T AnyKey](a, b []T) []T {
	y, err := sets.Combine(typeOf[T](), sets.Union, a, b, key.Order{Desc: true}, cpu.Options{})
	must("UnionDesc", err)
	return y
}

// UnionWith is Union in the order of s, with its workers, until ctx ends. Of keys that
// are equal with WithEqualZeros it has the first of a, else of b.
func UnionWith[T AnyKey](ctx context.Context, s *Sorter, a, b []T) (y []T, err error) {
	err = s.onHost(ctx, "UnionWith", func(o key.Order, h cpu.Options) (err error) {
		y, err = sets.Combine(typeOf[T](), sets.Union, a, b, o, h)
		return err
	})
	return y, err
}

// Intersect returns the keys that are in both a and b, each once and in ascending
// order, in a new slice. a and b are in ascending order; keys are equal if their bits
// are. O(len(a) + len(b)): both are read twice.
func Intersect[T AnyKey](a, b []T) []T {
	y, err := sets.Combine(typeOf[T](), sets.Intersect, a, b, key.Order{}, cpu.Options{})
	must("Intersect", err)
	return y
}

// IntersectDesc is Intersect in descending order, which a and b are in.
func IntersectDesc[T AnyKey](a, b []T) []T {
	y, err := sets.Combine(typeOf[T](), sets.Intersect, a, b, key.Order{Desc: true}, cpu.Options{})
	must("IntersectDesc", err)
	return y
}

// IntersectWith is Intersect in the order of s, with its workers, until ctx ends. Of
// keys that are equal with WithEqualZeros it has the first of a, else of b.
func IntersectWith[T AnyKey](ctx context.Context, s *Sorter, a, b []T) (y []T, err error) {
	err = s.onHost(ctx, "IntersectWith", func(o key.Order, h cpu.Options) (err error) {
		y, err = sets.Combine(typeOf[T](), sets.Intersect, a, b, o, h)
		return err
	})
	return y, err
}

// Difference returns the keys that are in a and not in b, each once and in ascending
// order, in a new slice. a and b are in ascending order; keys are equal if their bits
// are. O(len(a) + len(b)): both are read twice.
func Difference[T AnyKey](a, b []T) []T {
	y, err := sets.Combine(typeOf[T](), sets.Difference, a, b, key.Order{}, cpu.Options{})
	must("Difference", err)
	return y
}

// DifferenceDesc is Difference in descending order, which a and b are in.
func DifferenceDesc[T AnyKey](a, b []T) []T {
	y, err := sets.Combine(typeOf[T](), sets.Difference, a, b, key.Order{Desc: true}, cpu.Options{})
	must("DifferenceDesc", err)
	return y
}

// DifferenceWith is Difference in the order of s, with its workers, until ctx ends. Of
// keys that are equal with WithEqualZeros it has the first of a, else of b.
func DifferenceWith[T AnyKey](ctx context.Context, s *Sorter, a, b []T) (y []T, err error) {
	err = s.onHost(ctx, "DifferenceWith", func(o key.Order, h cpu.Options) (err error) {
		y, err = sets.Combine(typeOf[T](), sets.Difference, a, b, o, h)
		return err
	})
	return y, err
}
