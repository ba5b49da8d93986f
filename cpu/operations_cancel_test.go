package cpu_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gpusort/gpusort/cpu"
)

// TestCancelledOperations ends the context of every operation at several moments: what
// works in place leaves all keys, and the others their input.
func TestCancelledOperations(t *testing.T) {
	s, err := cpu.New(cpu.WithWorkers(2), cpu.WithNaNLast())
	if err != nil {
		t.Fatal(err)
	}
	n, rounds := 2_000_000, 12
	if testing.Short() {
		n, rounds = 200_000, 6
	}
	r := rand.New(rand.NewPCG(7, 7))
	was := make([]float64, n)
	for i := range was {
		was[i] = float64(r.IntN(n) - n/2)
	}
	whole := slices.Clone(was)
	slices.Sort(whole)
	distinct := slices.Compact(slices.Clone(whole))
	offsets := []int{0, 5, 5, n / 4, n/4 + 1, n}
	idx, dst := make([]int, n), make([]float64, 2*n)
	var x []float64
	all := func(t *testing.T) {
		slices.Sort(x)
		if !slices.Equal(x, whole) {
			t.Fatal("keys are missing")
		}
	}
	same := func(t *testing.T) {
		if !slices.Equal(x, was) {
			t.Fatal("the input was changed")
		}
	}
	still := func(t *testing.T) {
		if !slices.Equal(x, whole) {
			t.Fatal("the input was changed")
		}
	}
	for _, o := range []struct {
		name  string
		from  []float64
		do    func(ctx context.Context) error
		check func(t *testing.T)
	}{
		{"Smallest", was, func(ctx context.Context) error { _, err := cpu.SmallestWith(ctx, s, x, n/100); return err }, same},
		{"Smallest half", was, func(ctx context.Context) error { _, err := cpu.SmallestWith(ctx, s, x, n/2); return err }, same},
		{"ArgLargest", was, func(ctx context.Context) error { _, err := cpu.ArgLargestWith(ctx, s, x, n/100); return err }, same},
		{"Select", was, func(ctx context.Context) error { _, err := cpu.SelectWith(ctx, s, x, n/2); return err }, all},
		{"Count", was, func(ctx context.Context) error { _, _, err := cpu.CountWith(ctx, s, x); return err }, same},
		{"Groups", whole, func(ctx context.Context) error { _, err := cpu.GroupsWith(ctx, s, x); return err }, still},
		{"Unique", whole, func(ctx context.Context) error {
			y, err := cpu.UniqueWith(ctx, s, x)
			if err == nil {
				x = y
			}
			return err
		}, func(t *testing.T) {
			slices.Sort(x)
			if !slices.Equal(slices.Compact(x), distinct) {
				t.Fatal("keys are missing")
			}
		}},
		{"SortSegments", was, func(ctx context.Context) error { return cpu.SortSegmentsWith(ctx, s, x, offsets) }, func(t *testing.T) {
			for i := 1; i < len(offsets); i++ {
				a, b := x[offsets[i-1]:offsets[i]], slices.Clone(was[offsets[i-1]:offsets[i]])
				slices.Sort(a)
				slices.Sort(b)
				if !slices.Equal(a, b) {
					t.Fatalf("segment %d has other keys", i-1)
				}
			}
		}},
		{"ArgsortSegments", was, func(ctx context.Context) error { return cpu.ArgsortSegmentsWith(ctx, s, idx, x, offsets) }, same},
		{"SortRows", was, func(ctx context.Context) error { return cpu.SortRowsWith(ctx, s, x, 1000) }, all},
		{"SortFunc", was, func(ctx context.Context) error {
			return cpu.SortFuncWith(ctx, s, x, func(a, b float64) int { return int(a - b) })
		}, all},
		{"Merge", whole, func(ctx context.Context) error { return cpu.MergeWith(ctx, s, dst, x, x) }, still},
		{"Search", whole, func(ctx context.Context) error { _, err := cpu.SearchWith(ctx, s, x, was); return err }, still},
		{"Union", whole, func(ctx context.Context) error { _, err := cpu.UnionWith(ctx, s, x, distinct); return err }, still},
	} {
		t.Run(o.name, func(t *testing.T) {
			x = slices.Clone(o.from)
			start := time.Now()
			if err := o.do(t.Context()); err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			cancelled := 0
			for i := range rounds {
				x = slices.Clone(o.from)
				ctx, cancel := context.WithCancel(t.Context())
				if i == 0 {
					cancel()
				}
				time.AfterFunc(took*time.Duration(i)/time.Duration(rounds), cancel)
				err := o.do(ctx)
				cancel()
				switch {
				case errors.Is(err, context.Canceled):
					cancelled++
				case err != nil:
					t.Fatal(err)
				}
				o.check(t)
			}
			if cancelled == 0 {
				t.Error("not even a context that had ended cancelled it")
			}
		})
	}
}
