package gpusort_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// eachGroup is eachSorter, and a Sorter on all CUDA devices if there are several.
func eachGroup(t *testing.T, f func(t *testing.T, s *gpusort.Sorter)) {
	eachSorter(t, f)
	t.Run("cuda:all", func(t *testing.T) {
		s, err := gpusort.New(gpusort.WithDevice("cuda:0,cuda:1"), gpusort.WithDescending())
		if err != nil {
			absent.Skip(t, "cuda2", "%v", err)
		}
		f(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestSpread(t *testing.T) {
	eachGroup(t, func(t *testing.T, s *gpusort.Sorter) {
		ctx := context.Background()
		in, values := make([]uint64, 100001), make([]uint32, 100001)
		for i := range in {
			in[i], values[i] = uint64(i*7919%1000), uint32(i)
		}
		want := slices.Clone(in)
		slices.Sort(want)
		slices.Reverse(want)
		k, err := gpusort.NewSpread[uint64](s, len(in))
		if err != nil {
			t.Fatal(err)
		}
		v, err := gpusort.NewSpread[uint32](s, len(in))
		if err != nil {
			t.Fatal(err)
		}
		out, moved := make([]uint64, len(in)), make([]uint32, len(in))
		argsort(t, s, in)
		for _, step := range []struct {
			what string
			do   func() error
		}{
			{"upload", func() error { return k.Upload(ctx, in) }},
			{"upload of values", func() error { return v.Upload(ctx, values) }},
			{"sort of pairs", func() error { return gpusort.SortPairsSpread(ctx, k, v) }},
			{"sort", func() error { return gpusort.SortSpread(ctx, k) }},
			{"download", func() error { return k.Download(ctx, out) }},
			{"download of values", func() error { return v.Download(ctx, moved) }},
		} {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.what, err)
			}
		}
		if !slices.Equal(out, want) {
			t.Error("the sorted spread is wrong")
		}
		for j := 1; j < len(moved); j++ {
			if a, b := moved[j-1], moved[j]; in[a] < in[b] || in[a] == in[b] && a > b {
				t.Fatalf("the values are wrong or not stable at %d", j)
			}
		}
		n := 0
		for _, p := range k.Parts() {
			n += p.Len()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		if n != len(in) || k.Len() != n {
			t.Errorf("the parts have %d items", n)
		}
		for what, err := range map[string]error{
			"another length": k.Upload(ctx, in[1:]), "pairs in one memory": gpusort.SortPairsSpread(ctx, k, k),
		} {
			if err == nil {
				t.Errorf("%s: no error", what)
			}
		}
		for range 2 {
			if err := errors.Join(k.Close(), v.Close()); err != nil {
				t.Error(err)
			}
		}
		if err := gpusort.SortSpread(ctx, k); !errors.Is(err, gpusort.ErrClosed) {
			t.Errorf("sort of a closed spread: %v", err)
		}
		var none *gpusort.Spread[uint64]
		if err := errors.Join(none.Close()); !errors.Is(err, gpusort.ErrClosed) || none.Len() != 0 || none.Parts() != nil {
			t.Errorf("a nil spread: %v", err)
		}
	})
}

// argsort checks ArgsortSpread of keys in descending order, which it leaves as they are.
func argsort(t *testing.T, s *gpusort.Sorter, in []uint64) {
	t.Helper()
	ctx := context.Background()
	k, err := gpusort.NewSpread[uint64](s, len(in))
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	x, err := gpusort.NewSpread[uint32](s, len(in))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	order, after := make([]uint32, len(in)), make([]uint64, len(in))
	if err := errors.Join(k.Upload(ctx, in), gpusort.ArgsortSpread(ctx, x, k), x.Download(ctx, order), k.Download(ctx, after)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(after, in) {
		t.Error("an argsort changed the keys")
	}
	for j := 1; j < len(order); j++ {
		if a, b := order[j-1], order[j]; in[a] < in[b] || in[a] == in[b] && a >= b {
			t.Fatalf("the argsort is wrong or not stable at %d", j)
		}
	}
	other, err := gpusort.NewSpread[uint32](s, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := gpusort.ArgsortSpread(ctx, other, k); err == nil {
		t.Error("an argsort to fewer indices: no error")
	}
	if err := gpusort.ArgsortSpread(ctx, x, x); !errors.Is(err, gpusort.ErrUnsupported) {
		t.Errorf("an argsort to its own keys: %v", err)
	}
}

// The order of keys that lie on all devices of a Sorter, which stay where they are.
func ExampleArgsortSpread() {
	ctx := context.Background()
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	keys, err := gpusort.NewSpread[float64](s, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer keys.Close()
	order, err := gpusort.NewSpread[uint32](s, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer order.Close()
	out := make([]uint32, 4)
	err = errors.Join(keys.Upload(ctx, []float64{0.5, -2, 7, 0.1}), gpusort.ArgsortSpread(ctx, order, keys), order.Download(ctx, out))
	fmt.Println(out, err)
	// Output: [1 3 0 2] <nil>
}

// A Spread is memory on all devices of a Sorter. On a machine with several GPUs give
// WithDevice("cuda:all").
func ExampleSortSpread() {
	ctx := context.Background()
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	x, err := gpusort.NewSpread[uint32](s, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Close()
	out := make([]uint32, 4)
	err = errors.Join(x.Upload(ctx, []uint32{3, 1, 4, 1}), gpusort.SortSpread(ctx, x), x.Download(ctx, out))
	fmt.Println(out, len(x.Parts()), err)
	// Output: [1 1 3 4] 1 <nil>
}
