package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/algo/cpu/merging"
	"github.com/gpusort/gpusort/internal/key"
)

// sizes are those of leaves, blocks and slices, and their neighbours.
var sizes = []int{0, 1, 2, 15, 16, 17, 33, 1000, blockItems - 1, blockItems, blockItems + 1, sliceItems + 1, 2*sliceItems - 3, 5*sliceItems + 77}

// fill makes keys of few (ties everywhere), many or all kinds.
func fill[U key.Word](r *rand.Rand, kind int, x []U) {
	for i := range x {
		switch kind % 5 {
		case 0:
			x[i] = U(r.Uint64())
		case 1:
			x[i] = U(r.IntN(3))
		case 2:
			x[i] = U(i)
		case 3:
			x[i] = ^U(i)
		default:
			x[i] = U([]uint64{0, 1, 1 << 31, 1 << 63, math.MaxUint64, 0x7f800000, 0x7fc00001, 0xff800000, 0xffc00005,
				0x7ff0000000000000, 0x7ff8000000000001, 0xfff8000000000002}[r.IntN(12)])
		}
	}
}

// check sorts one input in all modes and compares with a stable sort by encoded keys.
func check[U key.Word](t *testing.T, r *rand.Rand, c key.Codec, kind, n, workers int) {
	t.Helper()
	o := Options{Workers: workers, Ctx: t.Context()}
	in := make([]U, n)
	fill(r, kind, in)
	want := make([]uint64, n)
	for i := range want {
		want[i] = uint64(i)
	}
	slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(key.Encode(c, in[a]), key.Encode(c, in[b])) })
	sorted := make([]U, n)
	for i, w := range want {
		sorted[i] = in[w]
	}
	id := fmt.Sprintf("%T codec %d kind %d n %d workers %d", in, c, kind%5, n, workers)

	x := slices.Clone(in)
	if err := Keys(x, c, o); err != nil || !slices.Equal(x, sorted) {
		t.Fatalf("%s: keys: %v", id, err)
	}
	x = slices.Clone(in)
	v := make([]uint64, n)
	for i := range v {
		v[i] = uint64(i)
	}
	if err := Pairs(x, v, c, o); err != nil || !slices.Equal(x, sorted) || !slices.Equal(v, want) {
		t.Fatalf("%s: pairs: %v", id, err)
	}
	x = slices.Clone(in)
	idx := make([]uint32, n)
	if err := Argsort(x, idx, c, o); err != nil || !slices.Equal(x, in) {
		t.Fatalf("%s: argsort: %v, or the keys changed", id, err)
	}
	for i, w := range want {
		if uint64(idx[i]) != w {
			t.Fatalf("%s: argsort: index %d is %d, want %d", id, i, idx[i], w)
		}
	}
}

func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	turn := 0
	for _, n := range sizes {
		for _, row := range key.Table() {
			for _, o := range []key.Order{{}, {Desc: true}, {NaNLast: true}} {
				c := key.CodecOf(row.Type, o)
				turn++
				workers := []int{1, 2, 7}[turn%3]
				switch row.Bits {
				case 8:
					check[uint8](t, r, c, turn, n, workers)
				case 16:
					check[uint16](t, r, c, turn, n, workers)
				case 32:
					check[uint32](t, r, c, turn, n, workers)
				default:
					check[uint64](t, r, c, turn, n, workers)
				}
			}
		}
	}
}

// TestPath compares with the definition.
func TestPath(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		a, b := make([]uint8, r.IntN(20)), make([]uint8, r.IntN(20))
		fill(r, r.IntN(2), a)
		fill(r, r.IntN(2), b)
		slices.Sort(a)
		slices.Sort(b)
		at := 0
		for d := 0; d <= len(a)+len(b); d++ {
			if got := merging.Path(a, b, d); got != at {
				t.Fatalf("path(%v, %v, %d) = %d, want %d", a, b, d, got, at)
			}
			if at < len(a) && (d-at >= len(b) || a[at] <= b[d-at]) {
				at++
			}
		}
	}
}

// stopAfter is a context that ends after d, by a timer of its own, so that stops
// fall into every phase.
func stopAfter(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	timer := time.AfterFunc(d, cancel)
	return ctx, func() { timer.Stop(); cancel() }
}

// TestCancel: what a cancelled sort leaves is a permutation, pairs together.
func TestCancel(t *testing.T) {
	const n = 40*sliceItems + 99
	c := key.CodecOf(key.F64, key.Order{Desc: true})
	in := make([]uint64, n)
	fill(rand.New(rand.NewPCG(5, 5)), 0, in)
	var cancelled atomic.Int64
	for i := range 12 {
		x, v, idx := slices.Clone(in), make([]uint32, n), make([]uint64, n)
		for k := range v {
			v[k] = uint32(k)
		}
		ctx, cancel := stopAfter(time.Duration(i*i) * time.Millisecond)
		err := Pairs(x, v, c, Options{Workers: 2, Ctx: ctx})
		cancel()
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			cancelled.Add(1)
		}
		seen := make([]bool, n)
		for k := range v {
			if seen[v[k]] || x[k] != in[v[k]] {
				t.Fatalf("cancel %d: pair %d is lost", i, k)
			}
			seen[v[k]] = true
		}
		ctx, cancel = stopAfter(time.Duration(i*i) * time.Millisecond)
		_ = Argsort(in, idx, c, Options{Workers: 2, Ctx: ctx})
		cancel()
		clear(seen)
		for k, at := range idx {
			if seen[at] {
				t.Fatalf("cancel %d: index %d appears twice, at %d", i, at, k)
			}
			seen[at] = true
		}
	}
	if cancelled.Load() == 0 {
		t.Error("no sort was cancelled")
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	x := slices.Clone(in)
	if err := Keys(x, c, Options{Ctx: done}); !errors.Is(err, context.Canceled) || !slices.Equal(x, in) {
		t.Errorf("a context that has ended: %v", err)
	}
}

func BenchmarkKeys(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	in := make([]uint32, 1<<22)
	fill(r, 0, in)
	x := make([]uint32, len(in))
	for b.Loop() {
		copy(x, in)
		if err := Keys(x, key.CodecUnsigned, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(in))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mkeys/s")
}
