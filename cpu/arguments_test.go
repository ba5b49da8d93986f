package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cpu"
)

// TestNoFunction: orders and comparisons that are none are refused in words, however many rows there are.
func TestNoFunction(t *testing.T) {
	ctx, byI := context.Background(), cpu.By(func(x *int) int { return *x })
	none := map[string]cpu.Order[int]{
		"zero": {}, "zero, descending": cpu.Order[int]{}.Desc().NaNLast().NullsLast(), "nil": cpu.By[int, string](nil),
		"nil, descending": cpu.By[int, float64](nil).Desc(), "nil of nulls": cpu.ByNull[int, int](nil).NullsLast(),
	}
	for _, n := range []int{0, 2, 3, 9, 65, 3000} {
		x := make([]int, n)
		for i := range x {
			x[i] = n - i
		}
		before := slices.Clone(x)
		for name, o := range none {
			for place, orders := range [][]cpu.Order[int]{{o}, {o, byI}, {byI, o}} {
				calls := map[string]func() error{
					"SortByWith":    func() error { return cpu.SortByWith(ctx, nil, x, orders...) },
					"ArgsortByWith": func() error { return cpu.ArgsortByWith(ctx, nil, make([]int, n), x, orders...) },
					"SortBy":        func() error { return panicOf(func() { cpu.SortBy(x, orders...) }) },
				}
				if n > 0 {
					calls["ArgsortBy"] = func() error { return panicOf(func() { cpu.ArgsortBy(x, orders...) }) }
				}
				for call, f := range calls {
					want := fmt.Sprintf("order %d of %d has no function", place/2+1, len(orders))
					if err := f(); err == nil || !strings.Contains(err.Error(), want) || call == "SortByWith" && !strings.HasPrefix(err.Error(), "cpu: SortByWith: ") {
						t.Errorf("%s of %d rows, %s: %v, want %s", call, n, name, err, want)
					}
				}
			}
		}
		for call, err := range map[string]error{
			"SortFuncWith": cpu.SortFuncWith(ctx, nil, x, nil),
			"SortFunc":     panicOf(func() { cpu.SortFunc(x, nil) }), "SortFuncDesc": panicOf(func() { cpu.SortFuncDesc(x, nil) }),
		} {
			if err == nil || !strings.Contains(err.Error(), call+": ") || !strings.Contains(err.Error(), "comparison is nil") {
				t.Errorf("%s of %d: %v", call, n, err)
			}
		}
		if !slices.Equal(x, before) {
			t.Errorf("%d rows were moved", n)
		}
	}
	if _, err := cpu.New(cpu.WithDescending(), nil); !errors.Is(err, cpu.ErrUnsupported) || !strings.Contains(err.Error(), "option 2 of 2 is nil") {
		t.Errorf("New with a nil option: %v", err)
	}
}

// panicOf returns what f panics with, in words, as an error; nil of what the runtime panics with.
func panicOf(f func()) (err error) {
	defer func() {
		if text, ok := recover().(string); ok {
			err = errors.New(text)
		}
	}()
	f()
	return nil
}

// TestIndexOutOfRange: GatherWith and PermuteWith return an error, Gather and Permute panic in words, for few and
// for many elements, of all workers and widths.
func TestIndexOutOfRange(t *testing.T) {
	type wide [5]uint64
	outOfRange[uint8](t)
	outOfRange[struct{}](t)
	outOfRange[string](t)
	outOfRange[wide](t)
}

func outOfRange[T comparable](t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{1, 40, 300_000} {
		for _, bad := range []int{-1, n, math.MaxInt} {
			x, idx := make([]T, n), make([]int, n)
			idx[n-1] = bad
			before := slices.Clone(x)
			want := fmt.Sprintf("index %d at place %d is out of range: there are %d elements", bad, n-1, n)
			for call, err := range map[string]error{
				"GatherWith": cpu.GatherWith(ctx, nil, make([]T, n), x, idx), "PermuteWith": cpu.PermuteWith(ctx, nil, x, idx),
				"Gather": panicOf(func() { cpu.Gather(make([]T, n), x, idx) }), "Permute": panicOf(func() { cpu.Permute(x, idx) }),
			} {
				if err == nil || !strings.HasPrefix(err.Error(), "cpu: "+call+": ") || !strings.Contains(err.Error(), want) {
					t.Errorf("%s of %d %T: %v, want %s", call, n, *new(T), err, want)
				}
			}
			if !slices.Equal(x, before) {
				t.Errorf("%d %T were moved", n, *new(T))
			}
		}
		if err := cpu.GatherWith(ctx, nil, make([]T, 1), nil, []uint8{200}); err == nil || !strings.Contains(err.Error(), "index 200 at place 0") {
			t.Errorf("of no elements: %v", err)
		}
	}
}
