package merging

import (
	gocmp "cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu"
)

// item has a key of which many are equal, and says where it was.
type item struct {
	name string
	at   int
}

func items(r *rand.Rand, n, kinds int) []item {
	x := make([]item, n)
	for i := range x {
		x[i] = item{fmt.Sprint(r.IntN(kinds)), i}
	}
	return x
}

func byName(a, b item) int { // as strings compare
	switch {
	case a.name < b.name:
		return -1
	case a.name > b.name:
		return 1
	}
	return 0
}

// TestFunc compares with a stable sort: of random, sorted and reverse items.
func TestFunc(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []int{0, 1, 2, insertedItems, insertedItems + 1, blockItems - 1, blockItems, blockItems + 1, 2 * blockItems,
		sliceItems + 1, 3*sliceItems - 5, 70_000}
	for i := range 1100 {
		if !testing.Short() || i%50 == 3 {
			sizes = append(sizes, i)
		}
	}
	for _, n := range sizes {
		for _, kinds := range []int{1, 7, 2*n + 1} {
			for shape := range 3 {
				x := items(r, n, kinds)
				if shape > 0 {
					slices.SortStableFunc(x, byName)
				}
				if shape == 2 {
					slices.Reverse(x)
				}
				want := slices.Clone(x)
				slices.SortStableFunc(want, byName)
				if err := Func(x, byName, false, cpu.Options{Workers: 1 + n%3}); err != nil || !slices.Equal(x, want) {
					t.Fatalf("%d items of %d kinds, shape %d: not as a stable sort: %v", n, kinds, shape, err)
				}
			}
		}
	}
}

// TestFuncEnds has a comparison panic, or end the context, at many of its calls: the
// panic reaches the caller, and all items are there.
func TestFuncEnds(t *testing.T) {
	const n = 3*sliceItems + 77
	r := rand.New(rand.NewPCG(3, 4))
	was := items(r, n, n/3)
	var calls atomic.Int64
	counted := func(a, b item) int { calls.Add(1); return byName(a, b) }
	if err := Func(slices.Clone(was), counted, false, cpu.Options{}); err != nil {
		t.Fatal(err)
	}
	all := calls.Load()
	for i := range 40 {
		at := all * int64(i) / 40
		for _, cancels := range []bool{false, true} {
			x := slices.Clone(was)
			ctx, cancel := context.WithCancel(t.Context())
			var left atomic.Int64
			left.Store(at)
			var err error
			caught := func() (p any) {
				defer func() { p = recover() }()
				err = Func(x, func(a, b item) int {
					if left.Add(-1) < 0 {
						if !cancels {
							panic("no more")
						}
						cancel()
					}
					return byName(a, b)
				}, false, cpu.Options{Ctx: ctx, Workers: 2})
				return nil
			}()
			cancel()
			if cancels && !errors.Is(err, context.Canceled) && i < 36 || !cancels && caught != "no more" {
				t.Fatalf("after %d of %d calls, cancelled %v: panic %v, error %v", at, all, cancels, caught, err)
			}
			slices.SortFunc(x, func(a, b item) int { return a.at - b.at })
			if !slices.Equal(x, was) {
				t.Fatalf("after %d of %d calls, cancelled %v: items are missing", at, all, cancels)
			}
		}
	}
}

// TestFuncContradicts: comparisons that contradict themselves neither panic nor lose items.
func TestFuncContradicts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for name, cmp := range map[string]func(a, b float64) int{
		"NaN": func(a, b float64) int {
			switch {
			case a < b:
				return -1
			case a > b:
				return 1
			}
			return 0
		},
		"overflow": func(a, b float64) int { return int(int8(int64(a*256)) - int8(int64(b*256))) },
		"random":   func(a, b float64) int { return rand.IntN(3) - 1 },
		"seldom": func(a, b float64) int {
			if rand.IntN(100) == 0 {
				return 1
			}
			return gocmp.Compare(a, b)
		},
		"always before": func(a, b float64) int { return -1 },
		"always behind": func(a, b float64) int { return 1 },
	} {
		for _, n := range []int{2*sliceItems + 1, 5*sliceItems - 3, 40_000} {
			for range 4 {
				x := make([]float64, n)
				for i := range x {
					if x[i] = float64(i) + r.Float64(); name == "NaN" && r.IntN(20) == 0 {
						x[i] = math.Float64frombits(math.Float64bits(math.NaN()) + uint64(i))
					}
				}
				r.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
				was := slices.Clone(x)
				if err := Func(x, cmp, false, cpu.Options{Workers: 3}); err != nil {
					t.Fatal(err)
				}
				bits := func(a, b float64) int { return gocmp.Compare(math.Float64bits(a), math.Float64bits(b)) }
				slices.SortFunc(x, bits)
				slices.SortFunc(was, bits)
				if slices.CompareFunc(x, was, bits) != 0 {
					t.Errorf("%s, %d items: some are missing", name, n)
				}
			}
		}
	}
}

// TestFuncExits: a comparison that ends its goroutine ends the caller's, and all items are there.
func TestFuncExits(t *testing.T) {
	const n = 20 * sliceItems
	was := items(rand.New(rand.NewPCG(7, 8)), n, n/3)
	for i := range 30 {
		x := slices.Clone(was)
		var left atomic.Int64
		left.Store(int64(i) * 30_000)
		returned, done := false, make(chan struct{})
		go func() {
			defer close(done)
			_ = Func(x, func(a, b item) int {
				if left.Add(-1) < 0 {
					runtime.Goexit()
				}
				return byName(a, b)
			}, false, cpu.Options{Workers: 1 + i%3})
			returned = true
		}()
		<-done
		slices.SortFunc(x, func(a, b item) int { return a.at - b.at })
		if returned || !slices.Equal(x, was) {
			t.Fatalf("after %d calls: returned %v, items whole %v", i*30_000, returned, slices.Equal(x, was))
		}
	}
}
