package selftest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

func open(o key.Order) (*gpusort.Sorter, error) {
	opts := []gpusort.Option{gpusort.WithDevice("cpu")}
	if o.Desc {
		opts = append(opts, gpusort.WithDescending())
	}
	if o.NaNLast {
		opts = append(opts, gpusort.WithNaNLast())
	}
	if o.EqualZeros {
		opts = append(opts, gpusort.WithEqualZeros())
	}
	return gpusort.New(opts...)
}

func TestCPUPasses(t *testing.T) {
	results := 0
	err := Run(t.Context(), open, func(r Result) {
		results++
		if r.Failed != 0 || r.Skipped != 0 || r.Cases < 56 {
			t.Errorf("%+v", r)
		}
	})
	if err != nil || results != len(key.Table())*len(Modes) {
		t.Fatalf("%d results, %v", results, err)
	}
}

// TestFindsWrongOrder gives sorters of the wrong direction.
func TestFindsWrongOrder(t *testing.T) {
	wrong := func(o key.Order) (*gpusort.Sorter, error) { o.Desc = !o.Desc; return open(o) }
	err := Run(t.Context(), wrong, func(r Result) {
		if r.Failed == 0 || r.First == nil {
			t.Errorf("%v %s passes", r.Type, r.Mode)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, open, func(Result) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestSizes asks for what each kind of algorithm sorts.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		least, most int
		want        []int
	}{
		{0, 1 << 30, usual},
		{0, 12288, []int{0, 1, 2, 33, 1000, 4097, 12288}},
		{0, 33, []int{0, 1, 2, 33}},
		{40, 1000, []int{0, 1, 40, 1000}},
		{1 << 18, 1 << 30, []int{0, 1, 1 << 18}},
		{1 << 24, 1 << 30, nil},
		{100, 50, nil},
	} {
		asked := 0
		got, err := sizesOf(func(n int) error {
			asked++
			if n < c.least || n > c.most {
				return fmt.Errorf("%d keys: %w", n, gpusort.ErrUnsupported)
			}
			return nil
		})
		if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) || err != nil && !errors.Is(err, gpusort.ErrUnsupported) {
			t.Errorf("%d to %d keys: %v, %v, want %v", c.least, c.most, got, err, c.want)
		}
		if asked > 60 {
			t.Errorf("%d to %d keys: asked %d times", c.least, c.most, asked)
		}
	}
}

// card is a CUDA device with code for every algorithm.
var card = driver.Caps{
	Backend: "cuda", ID: "cuda:0", Name: "NVIDIA H200", ComputeUnits: 132, WarpSize: 32, MaxThreadsPerBlock: 1024,
	SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10, GlobalBytes: 140 << 30, Arch: 90,
	ForwardProgress: true, SubGroups: true, Atomics64: true, Cooperative: true,
}

// TestSizesOfCatalogue gives each algorithm that auto may choose on a card only sizes
// that it supports, and some of each.
func TestSizesOfCatalogue(t *testing.T) {
	for _, a := range catalog.Algorithms() {
		if a.Study || !slices.Contains(a.Backends, "cuda") {
			continue
		}
		works := false
		for _, r := range key.Table() {
			for name, m := range modes {
				check := func(n int) error {
					return a.Check(plan.Problem{Type: r.Type, Mode: plan.Mode(m.mode), ValueBytes: m.valueBytes, Items: uint64(n)}, card)
				}
				sizes, err := sizesOf(check)
				if err != nil && !errors.Is(err, gpusort.ErrUnsupported) {
					t.Errorf("%s, %v %s: %v", a.Name, r.Type, name, err)
				}
				for _, n := range sizes {
					if err := check(n); n > 1 && err != nil {
						t.Errorf("%s, %v %s: %v", a.Name, r.Type, name, err)
					}
					works = works || n > 1
				}
			}
		}
		if !works {
			t.Errorf("%s: nothing to test", a.Name)
		}
	}
}
