package segments

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// TestShortSegmentsCancelled: floats whose group of segments is short on average are encoded together; one that is
// cancelled amid them has its own keys.
func TestShortSegmentsCancelled(t *testing.T) {
	const short, long = 30_000, 2_000_000
	r := rand.New(rand.NewPCG(3, 4))
	was := make([]float64, short+long)
	for i := range was {
		was[i] = r.NormFloat64()
	}
	offsets := make([]int, short+2)
	for i := range offsets {
		offsets[i] = i
	}
	offsets[short+1] = len(was)
	want := slices.Clone(was)
	slices.Sort(want[short:])
	ended := 0
	for after := time.Duration(0); after < 200*time.Millisecond; after = 2*after + 100*time.Microsecond {
		x := slices.Clone(was)
		ctx, cancel := context.WithTimeout(context.Background(), after)
		err := Sort(key.F64, x, offsets, key.Order{}, cpu.Options{Workers: 1, Ctx: ctx})
		cancel()
		switch {
		case err == nil && !slices.Equal(x, want):
			t.Fatal("no error, but not sorted")
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			t.Fatal(err)
		case err != nil:
			ended++
		}
		if slices.Sort(x[short:]); !slices.Equal(x, want) {
			t.Fatalf("after %v segments have other keys", after)
		}
	}
	if ended == 0 {
		t.Error("no sort was cancelled")
	}
}

// TestEncodedTogether: the keys of short segments that are encoded together are in the order of a sort of each, zeros
// and NaNs too.
func TestEncodedTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	some := []float64{0, math.Copysign(0, -1), math.NaN(), math.Copysign(math.NaN(), -1), math.Inf(1), math.Inf(-1), 1, -1}
	for _, o := range []key.Order{{}, {Desc: true}, {NaNLast: true}, {EqualZeros: true}, {Desc: true, NaNLast: true, EqualZeros: true}} {
		c := key.CodecOf(key.F64, o) &^ key.CodecEqualZeros
		for _, mean := range []int{1, 6, 40, shortItems, 4 * shortItems} {
			x, offsets := make([]float64, 100_000), []int{7}
			for i := range x {
				if x[i] = r.NormFloat64(); r.IntN(5) == 0 {
					x[i] = some[r.IntN(len(some))]
				}
			}
			for at := 7; at < len(x)-9; {
				at = min(len(x)-9, at+r.IntN(2*mean+1))
				offsets = append(offsets, at)
			}
			want := slices.Clone(x)
			for i := 1; i < len(offsets); i++ {
				slices.SortFunc(want[offsets[i-1]:offsets[i]], func(a, b float64) int {
					u, v := key.Encode(c, math.Float64bits(a)), key.Encode(c, math.Float64bits(b))
					if u < v {
						return -1
					} else if u > v {
						return 1
					}
					return 0
				})
			}
			if err := Sort(key.F64, x, offsets, o, cpu.Options{Workers: 1 + r.IntN(3)}); err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(x, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
				t.Fatalf("%+v, segments of about %d: not sorted", o, mean)
			}
		}
	}
}
