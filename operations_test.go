package gpusort_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cpu"
)

// outcome is everything that the operations of one package make of the same input.
type outcome []any

// TestOperationsAsCPU compares every operation of this package with that of package cpu, which has a
// reference of its own: in both directions, by functions and by Sorters.
func TestOperationsAsCPU(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 41))
	x, y := make([]float64, 5000), make([]float64, 3000)
	for i := range x {
		x[i] = float64(r.IntN(700) - 300)
	}
	for i := range y {
		y[i] = float64(r.IntN(700) - 200)
	}
	for _, desc := range []bool{false, true} {
		opts, cpuOpts := []gpusort.Option{gpusort.WithDevice("cpu")}, []cpu.Option(nil)
		if desc {
			opts, cpuOpts = append(opts, gpusort.WithDescending()), append(cpuOpts, cpu.WithDescending())
		}
		s, err := gpusort.New(opts...)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		peer, err := cpu.New(cpuOpts...)
		if err != nil {
			t.Fatal(err)
		}
		want := cpuOutcome(t, peer, x, y)
		for what, got := range map[string]outcome{
			"gpusort": plainOutcome(desc, x, y), "gpusort with Sorter": sorterOutcome(t, s, x, y), "cpu": plainCPUOutcome(desc, x, y),
		} {
			for i := range want {
				if g, w := fmt.Sprint(got[i]), fmt.Sprint(want[i]); g != w {
					t.Errorf("%s, descending %v: result %d is %.200s, want %.200s", what, desc, i, g, w)
				}
			}
		}
	}
}

var offsets = []uint16{3, 700, 700, 2000, 4900}

func compare(a, b float64) int { return int(a/4) - int(b/4) } // many tie

func sortedFor(desc bool, x []float64) []float64 {
	x = slices.Clone(x)
	if gpusort.Sort(x); desc {
		slices.Reverse(x)
	}
	return x
}

func plainOutcome(desc bool, x, y []float64) (o outcome) {
	a, b := sortedFor(desc, x), sortedFor(desc, y)
	dst, seg, rows, fn, idx := make([]float64, len(a)+len(b)), slices.Clone(x), slices.Clone(x), slices.Clone(x), make([]int16, len(x))
	sel := slices.Clone(x)
	if desc {
		gpusort.MergeDesc(dst, a, b)
		gpusort.SortSegmentsDesc(seg, offsets)
		gpusort.ArgsortSegmentsDesc(idx, x, offsets)
		gpusort.SortRowsDesc(rows, 50)
		gpusort.SortFuncDesc(fn, compare)
		values, counts := gpusort.CountDesc(x)
		return outcome{gpusort.Largest(x, 9), gpusort.Smallest(x, 9), gpusort.ArgLargest(x, 9), gpusort.ArgSmallest(x, 9), gpusort.SelectDesc(sel, 77),
			gpusort.Unique(slices.Clone(a)), values, counts, gpusort.Groups(a), seg, idx, rows, dst, gpusort.SearchDesc(a, y), fn,
			gpusort.UnionDesc(a, b), gpusort.IntersectDesc(a, b), gpusort.DifferenceDesc(a, b)}
	}
	gpusort.Merge(dst, a, b)
	gpusort.SortSegments(seg, offsets)
	gpusort.ArgsortSegments(idx, x, offsets)
	gpusort.SortRows(rows, 50)
	gpusort.SortFunc(fn, compare)
	values, counts := gpusort.Count(x)
	return outcome{gpusort.Smallest(x, 9), gpusort.Largest(x, 9), gpusort.ArgSmallest(x, 9), gpusort.ArgLargest(x, 9), gpusort.Select(sel, 77),
		gpusort.Unique(slices.Clone(a)), values, counts, gpusort.Groups(a), seg, idx, rows, dst, gpusort.Search(a, y), fn,
		gpusort.Union(a, b), gpusort.Intersect(a, b), gpusort.Difference(a, b)}
}

func sorterOutcome(t *testing.T, s *gpusort.Sorter, x, y []float64) outcome {
	var r gpusort.Report
	ctx := gpusort.WithReport(t.Context(), &r)
	desc := !gpusort.IsSortedWith(s, []float64{1, 2})
	a, b := sortedFor(desc, x), sortedFor(desc, y)
	dst, seg, rows, fn, idx := make([]float64, len(a)+len(b)), slices.Clone(x), slices.Clone(x), slices.Clone(x), make([]int16, len(x))
	sel := slices.Clone(x)
	small, e1 := gpusort.SmallestWith(ctx, s, x, 9)
	if r.Device != "cpu" || r.Algorithm != "SmallestWith" || r.Items != uint64(len(x)) || s.Last() != r {
		t.Errorf("report %+v", r)
	}
	large, e2 := gpusort.LargestWith(ctx, s, x, 9)
	argSmall, e3 := gpusort.ArgSmallestWith(ctx, s, x, 9)
	argLarge, e4 := gpusort.ArgLargestWith(ctx, s, x, 9)
	v, e5 := gpusort.SelectWith(ctx, s, sel, 77)
	unique, e6 := gpusort.UniqueWith(ctx, s, slices.Clone(a))
	values, counts, e7 := gpusort.CountWith(ctx, s, x)
	groups, e8 := gpusort.GroupsWith(ctx, s, a)
	e9 := errors.Join(gpusort.SortSegmentsWith(ctx, s, seg, offsets), gpusort.ArgsortSegmentsWith(ctx, s, idx, x, offsets),
		gpusort.SortRowsWith(ctx, s, rows, 50), gpusort.MergeWith(ctx, s, dst, a, b), gpusort.SortFuncWith(ctx, s, fn, compare))
	pos, e10 := gpusort.SearchWith(ctx, s, a, y)
	u, e11 := gpusort.UnionWith(ctx, s, a, b)
	i, e12 := gpusort.IntersectWith(ctx, s, a, b)
	d, e13 := gpusort.DifferenceWith(ctx, s, a, b)
	if err := errors.Join(e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13); err != nil {
		t.Fatal(err)
	}
	return outcome{small, large, argSmall, argLarge, v, unique, values, counts, groups, seg, idx, rows, dst, pos, fn, u, i, d}
}

// refusal is a call that is refused, and a part of what it says.
type refusal struct {
	text string
	call func()
	err  error
}

// TestRefusedOperations: functions panic and Sorters return errors, and nothing is changed.
func TestRefusedOperations(t *testing.T) {
	s, ctx := newCPU(t), context.Background()
	x, was, idx := []int8{3, 2, 1}, []int8{3, 2, 1}, []int{7, 7, 7}
	_, e1 := gpusort.SmallestWith(ctx, s, x, -1)
	_, e2 := gpusort.ArgLargestWith(ctx, s, x, -1)
	_, e3 := gpusort.SelectWith(ctx, s, x, 3)
	_, e4 := gpusort.SelectWith(ctx, s, x, -1)
	e5 := gpusort.ArgsortSegmentsWith(ctx, s, idx[:2], x, []int{0, 3})
	long := make([]uint8, 300)
	for i, c := range []refusal{
		{"-1 keys", func() { gpusort.Smallest(x, -1) }, e1},
		{"-1 keys", func() { gpusort.ArgLargest(x, -1) }, e2},
		{"place 3 of 3", func() { gpusort.Select(x, 3) }, e3},
		{"place -1 of 3", func() { gpusort.Select(x, -1) }, e4},
		{"same length", func() { gpusort.ArgsortSegments(idx[:2], x, []int{0, 3}) }, e5},
		{"do not fit int8", func() { gpusort.ArgsortSegments(make([]int8, 300), long, []int{0}) }, gpusort.ArgsortSegmentsWith(ctx, s, make([]int8, 300), long, []int{0})},
		{"offset 2 is 4", func() { gpusort.SortSegments(x, []uint64{0, 2, 4}) }, gpusort.SortSegmentsWith(ctx, s, x, []uint64{0, 2, 4})},
		{"offset 0 is -1", func() { gpusort.SortSegments(x, []int8{-1, 2}) }, gpusort.SortSegmentsWith(ctx, s, x, []int8{-1, 2})},
		{"offsets must ascend", func() { gpusort.SortSegments(x, []int{0, 2, 1, 3}) }, gpusort.SortSegmentsWith(ctx, s, x, []int{0, 2, 1, 3})},
		{"offset 0 is 18446744073709551615", func() { gpusort.SortSegments(x, []uint64{1<<64 - 1}) }, gpusort.SortSegmentsWith(ctx, s, x, []uint64{1<<64 - 1})},
		{"offset 1 is 9", func() { gpusort.ArgsortSegments(idx, x, []int{0, 9}) }, gpusort.ArgsortSegmentsWith(ctx, s, idx, x, []int{0, 9})},
		{"no rows of 2", func() { gpusort.SortRows(x, 2) }, gpusort.SortRowsWith(ctx, s, x, 2)},
		{"no rows of 0", func() { gpusort.SortRows(x[:0], 0) }, gpusort.SortRowsWith(ctx, s, x[:0], 0)},
		{"order 1 of 1 has no function", func() { gpusort.SortBy(x, gpusort.Order[int8]{}.Desc()) }, gpusort.SortByWith(ctx, s, x, gpusort.Order[int8]{}.Desc())},
		{"order 1 of 1 has no function", func() { gpusort.SortBy(x[:2], gpusort.By[int8, string](nil)) }, gpusort.SortByWith(ctx, s, x[:2], gpusort.ByNull[int8, string](nil))},
		{"comparison is nil", func() { gpusort.SortFunc(x, nil) }, gpusort.SortFuncWith(ctx, s, x, nil)},
		{"index 3 at place 1 is out of range", func() { gpusort.Permute(x, []uint8{0, 3, 1}) }, gpusort.PermuteWith(ctx, s, x, []uint8{0, 3, 1})},
		{"index -1 at place 0 is out of range", func() { gpusort.Gather(make([]int8, 1), x, []int{-1}) }, gpusort.GatherWith(ctx, s, make([]int8, 1), x, []int{-1})},
		{"2 items of runs", func() { gpusort.Merge(x, []int8{1}, []int8{0}) }, gpusort.MergeWith(ctx, s, x, []int8{1}, []int8{0})},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.text) || !strings.HasPrefix(c.err.Error(), "gpusort: ") {
			t.Errorf("%d: error %v, want one with %q", i, c.err, c.text)
		}
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, c.text) {
					t.Errorf("%d: panic %s, want one with %q", i, p, c.text)
				}
			}()
			c.call()
		}()
	}
	if !slices.Equal(x, was) || !slices.Equal(idx, []int{7, 7, 7}) {
		t.Errorf("after refusals: %v, %v", x, idx)
	}
	for _, s := range []*gpusort.Sorter{nil, new(gpusort.Sorter)} {
		if _, err := gpusort.SmallestWith(ctx, s, x, 1); !errors.Is(err, gpusort.ErrClosed) {
			t.Errorf("Sorter that New did not make: %v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gpusort.SortRowsWith(ctx, s, x, 3); !errors.Is(err, gpusort.ErrClosed) || !slices.Equal(x, was) {
		t.Errorf("closed Sorter: %v", err)
	}
}
