package engine

import (
	"context"
	"fmt"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/equalzeros"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/fault"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// tyingFake is newFake with the kernels of internal/algo/equalzeros for f64, and values
// of 4 bytes.
func tyingFake() *fake.Driver {
	d := newFake()
	each := func(b *fake.Block, n uint64, f func(i uint64)) {
		threads := uint64(b.Threads())
		for first := uint64(b.ID.X) * threads; first < n; first += uint64(b.Grid.X) * threads {
			for i := first; i < min(n, first+threads); i++ {
				f(i)
			}
		}
	}
	d.Register("gs_equalzeros_canonicalise_64_keys", func(b *fake.Block) {
		keys, out := fake.Slice[uint64](b, 0), fake.Slice[uint64](b, 1)
		each(b, b.Uint(2), func(i uint64) { out[i] = key.Canonical(key.CodecFloatNaNFirst, keys[i]) })
	})
	d.Register("gs_equalzeros_gather_64_pairs32", func(b *fake.Block) {
		in, places, out := fake.Slice[uint64](b, 0), fake.Slice[uint32](b, 1), fake.Slice[uint64](b, 2)
		each(b, b.Uint(3), func(i uint64) { out[i] = in[places[i]] })
	})
	d.Register("gs_equalzeros_gather_32_pairs32", func(b *fake.Block) {
		in, places, out := fake.Slice[uint32](b, 0), fake.Slice[uint32](b, 1), fake.Slice[uint32](b, 2)
		each(b, b.Uint(3), func(i uint64) { out[i] = in[places[i]] })
	})
	return d
}

func tyingProblem(mode plan.Mode, items uint64) plan.Problem {
	return plan.Problem{Type: key.F64, Mode: mode, Items: items, ValueBytes: 4, Order: key.Order{EqualZeros: true, Desc: true}}
}

// TestEqualZerosFaults is TestFaultSweep by an order with ties: at once, and in pieces
// that the host merges.
func TestEqualZerosFaults(t *testing.T) {
	a := equalzeros.Wrap(inMemory)
	for _, limit := range []uint64{0, 40_000} {
		for _, mode := range []plan.Mode{plan.Pairs, plan.Argsort} {
			t.Run(fmt.Sprintf("%v/%d", mode, limit), func(t *testing.T) {
				p := tyingProblem(mode, 1500)
				for k, calls := 0, 1; k <= calls; k++ {
					drv := tyingFake()
					f := fault.New(drv, k, &driver.Error{Name: "BROKEN", Code: 99})
					if failed := sweepOnce(t, drv, f, a, limit, p, k); k == 0 {
						if calls = f.Calls(); failed {
							t.Fatal("the sort failed without a fault")
						}
					}
				}
			})
		}
	}
}

// TestEqualZerosPieces: pieces are more than one, and the result is that of a stable
// sort by comparisons.
func TestEqualZerosPieces(t *testing.T) {
	for _, mode := range []plan.Mode{plan.Pairs, plan.Argsort} {
		e, err := fakeEngineOf(tyingFake(), 40_000, equalzeros.Wrap(inMemory))
		if err != nil {
			t.Fatal(err)
		}
		p := tyingProblem(mode, 1500)
		j, want := testInput(p), testInput(p)
		bySlices(want)
		r, err := e.Sort(context.Background(), j)
		if err != nil || r.Pieces < 2 || r.Device != "fake:0" {
			t.Errorf("%v: %+v, %v", mode, r, err)
		}
		if err := sameJob(j, want); err != nil {
			t.Errorf("%v: %v", mode, err)
		}
		x, err := e.Explain(p)
		if err != nil || len(x.Steps) < 5 || x.Steps[0].Label != "canonicalise keys" {
			t.Errorf("%v: explained as %+v, %v", mode, x.Steps, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
