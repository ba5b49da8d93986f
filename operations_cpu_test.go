package gpusort_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/cpu"
)

// These are the functions of operations_test.go for package cpu.

func plainCPUOutcome(desc bool, x, y []float64) (o outcome) {
	a, b := sortedFor(desc, x), sortedFor(desc, y)
	dst, seg, rows, fn, idx := make([]float64, len(a)+len(b)), slices.Clone(x), slices.Clone(x), slices.Clone(x), make([]int16, len(x))
	sel := slices.Clone(x)
	if desc {
		cpu.MergeDesc(dst, a, b)
		cpu.SortSegmentsDesc(seg, offsets)
		cpu.ArgsortSegmentsDesc(idx, x, offsets)
		cpu.SortRowsDesc(rows, 50)
		cpu.SortFuncDesc(fn, compare)
		values, counts := cpu.CountDesc(x)
		return outcome{cpu.Largest(x, 9), cpu.Smallest(x, 9), cpu.ArgLargest(x, 9), cpu.ArgSmallest(x, 9), cpu.SelectDesc(sel, 77),
			cpu.Unique(slices.Clone(a)), values, counts, cpu.Groups(a), seg, idx, rows, dst, cpu.SearchDesc(a, y), fn,
			cpu.UnionDesc(a, b), cpu.IntersectDesc(a, b), cpu.DifferenceDesc(a, b)}
	}
	cpu.Merge(dst, a, b)
	cpu.SortSegments(seg, offsets)
	cpu.ArgsortSegments(idx, x, offsets)
	cpu.SortRows(rows, 50)
	cpu.SortFunc(fn, compare)
	values, counts := cpu.Count(x)
	return outcome{cpu.Smallest(x, 9), cpu.Largest(x, 9), cpu.ArgSmallest(x, 9), cpu.ArgLargest(x, 9), cpu.Select(sel, 77),
		cpu.Unique(slices.Clone(a)), values, counts, cpu.Groups(a), seg, idx, rows, dst, cpu.Search(a, y), fn,
		cpu.Union(a, b), cpu.Intersect(a, b), cpu.Difference(a, b)}
}

func cpuOutcome(t *testing.T, s *cpu.Sorter, x, y []float64) outcome {
	ctx := t.Context()
	desc := !cpu.IsSortedWith(s, []float64{1, 2})
	a, b := sortedFor(desc, x), sortedFor(desc, y)
	dst, seg, rows, fn, idx := make([]float64, len(a)+len(b)), slices.Clone(x), slices.Clone(x), slices.Clone(x), make([]int16, len(x))
	sel := slices.Clone(x)
	small, e1 := cpu.SmallestWith(ctx, s, x, 9)
	large, e2 := cpu.LargestWith(ctx, s, x, 9)
	argSmall, e3 := cpu.ArgSmallestWith(ctx, s, x, 9)
	argLarge, e4 := cpu.ArgLargestWith(ctx, s, x, 9)
	v, e5 := cpu.SelectWith(ctx, s, sel, 77)
	unique, e6 := cpu.UniqueWith(ctx, s, slices.Clone(a))
	values, counts, e7 := cpu.CountWith(ctx, s, x)
	groups, e8 := cpu.GroupsWith(ctx, s, a)
	e9 := errors.Join(cpu.SortSegmentsWith(ctx, s, seg, offsets), cpu.ArgsortSegmentsWith(ctx, s, idx, x, offsets),
		cpu.SortRowsWith(ctx, s, rows, 50), cpu.MergeWith(ctx, s, dst, a, b), cpu.SortFuncWith(ctx, s, fn, compare))
	pos, e10 := cpu.SearchWith(ctx, s, a, y)
	u, e11 := cpu.UnionWith(ctx, s, a, b)
	i, e12 := cpu.IntersectWith(ctx, s, a, b)
	d, e13 := cpu.DifferenceWith(ctx, s, a, b)
	if err := errors.Join(e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13); err != nil {
		t.Fatal(err)
	}
	return outcome{small, large, argSmall, argLarge, v, unique, values, counts, groups, seg, idx, rows, dst, pos, fn, u, i, d}
}
