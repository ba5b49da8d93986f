package gpusort

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// endsAfter is a context that ends after its Err was asked n times.
type endsAfter struct {
	context.Context
	n int
}

func (c *endsAfter) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestGatherCancel ends sorts with strings as values at every look at the context:
// the slices then hold their input.
func TestGatherCancel(t *testing.T) {
	const n = 5 * values.Items
	for looks := 0; ; looks++ {
		k, v := numbered(n)
		keys := slices.Clone(k)
		s, err := New(WithDevice("cpu"), WithWorkers(1))
		if err != nil {
			t.Fatal(err)
		}
		err = SortPairsWith(&endsAfter{context.Background(), looks}, s, k, v)
		if c := s.Close(); c != nil {
			t.Fatal(c)
		}
		together(t, k, v)
		if err == nil {
			if looks < 5 {
				t.Errorf("%d looks at the context", looks)
			}
			if !IsSorted(k) {
				t.Error("not sorted")
			}
			return
		}
		if !errors.Is(err, context.Canceled) || !slices.Equal(k, keys) {
			t.Fatalf("look %d: %v, or the keys are not the input", looks, err)
		}
	}
}

// TestGatherInPlace: under a limit of the Sorter or of the runtime no copies are made.
func TestGatherInPlace(t *testing.T) {
	const n = 1 << 16
	h := values.Host{Limit: 1 << 10}
	if h.MayTake(1<<10+1) || !h.MayTake(1<<10) {
		t.Error("the limit is not kept")
	}
	for _, h := range []values.Host{h, {}} {
		k, v := numbered(n)
		run := func(j op.Job) error {
			if in := j.At[op.KeysIO] == pointer(k); in != (h.Limit != 0) {
				t.Errorf("limit %d: keys are sorted in place: %t", h.Limit, in)
			}
			engine.SortHost(j)
			return nil
		}
		if err := values.Pairs(key.U64, h, k, v, key.Order{}, run); err != nil || !IsSorted(k) {
			t.Fatalf("not sorted, %v", err)
		}
		together(t, k, v)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 20))
	if (values.Host{}).MayTake(1 << 20) {
		t.Error("the runtime's limit is not kept")
	}
}

func numbered(n int) (k []uint64, v []string) {
	r := rand.New(rand.NewPCG(1, 1))
	for range n {
		k = append(k, r.Uint64N(uint64(n)))
		v = append(v, strconv.FormatUint(k[len(k)-1], 10))
	}
	return k, v
}

func together(t *testing.T, k []uint64, v []string) {
	t.Helper()
	for i := range k {
		if v[i] != strconv.FormatUint(k[i], 10) {
			t.Fatalf("item %d: key %d has value %s", i, k[i], v[i])
		}
	}
}

// BenchmarkStrings sorts keys with strings as values, and structs of both.
func BenchmarkStrings(b *testing.B) {
	keys, values := numbered(5_000_000)
	type pair struct {
		k uint64
		v string
	}
	b.Run("slices", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			p := make([]pair, len(keys))
			for i := range p {
				p[i] = pair{keys[i], values[i]}
			}
			b.StartTimer()
			slices.SortFunc(p, func(a, b pair) int {
				switch {
				case a.k < b.k:
					return -1
				case a.k > b.k:
					return 1
				}
				return 0
			})
		}
	})
	b.Run("gpusort", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			k, v := slices.Clone(keys), slices.Clone(values)
			b.StartTimer()
			SortPairs(k, v)
		}
	})
}
