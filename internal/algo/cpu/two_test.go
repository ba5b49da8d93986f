package cpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
)

// TestTwoKeys sorts keys of two values, among them both zeros, infinities and
// NaNs of different payloads, and such with one key of a third value, under
// every codec, at every level.
func TestTwoKeys(t *testing.T) {
	for l := simd.Plain; l <= simd.AVX512; l++ {
		t.Run(l.String(), func(t *testing.T) {
			if l > simd.Best() {
				absent.Skip(t, l.String(), "this processor or build does without")
			}
			defer simd.Force(l)()
			t.Run("u32", func(t *testing.T) {
				testTwoKeys(t, []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7f800001, 0xffc12345, 0x3f800000, ^uint32(0)})
			})
			t.Run("u64", func(t *testing.T) {
				testTwoKeys(t, []uint64{0, 1 << 63, 0x7ff << 52, 0xfff << 52, 0x7ff<<52 | 1, 0xfff8123456789abc, 0x3ff << 52, ^uint64(0)})
			})
		})
	}
}

func testTwoKeys[U wide](t *testing.T, values []U) {
	r := rand.New(rand.NewPCG(41, 42))
	trials := 24
	if testing.Short() {
		trials = 6
	}
	for c := key.Codec(0); c < 8; c++ {
		for trial := range trials {
			n := []int{1000, 70_000, 150_000}[trial%3] + r.IntN(1000)
			x, zones := guarded[U](n)
			two := []U{values[r.IntN(len(values))], values[r.IntN(len(values))]}
			share := r.IntN(10)
			for i := range x {
				x[i] = two[0]
				if r.IntN(10) < share {
					x[i] = two[1]
				}
			}
			third := ""
			if trial%2 == 1 {
				at := r.IntN(n)
				x[at] = values[r.IntN(len(values))]
				third = fmt.Sprintf(" and %x at %d", x[at], at)
			}
			counts := map[U]int{}
			for _, u := range x {
				counts[u]++
			}
			order := slices.SortedFunc(slices.Values(values), func(a, b U) int { return cmp.Compare(key.Encode(c, a), key.Encode(c, b)) })
			workers := 1 + trial/2%2
			if err := Keys(x, c, Options{Workers: workers}); err != nil {
				t.Fatal(err)
			}
			zones(t)
			at := 0
			for _, u := range order {
				for range counts[u] {
					if x[at] != u {
						t.Fatalf("codec %d, %d keys of %x%s, %d workers: key %d is %x, not %x", c, n, two, third, workers, at, x[at], u)
					}
					at++
				}
			}
		}
	}
}

// TestTwoCancel cancels sorts of keys of two values, and such with a third at the
// end, and checks that nothing is lost.
func TestTwoCancel(t *testing.T) {
	const n = 1 << 20
	r := rand.New(rand.NewPCG(43, 44))
	in := make([]uint64, n)
	for i := range in {
		in[i] = 1 << 63 * (r.Uint64() & 1)
	}
	for i := range 24 {
		in[n-1] = uint64(i % 2)
		want := slices.Sorted(slices.Values(in))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i)*40*time.Microsecond, cancel)
		x := slices.Clone(in)
		err := Keys(x, key.CodecFloatNaNLast, Options{Workers: 1 + i%3, Ctx: ctx})
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if slices.Sort(x); !slices.Equal(x, want) {
			t.Fatalf("round %d: keys were lost", i)
		}
	}
}
