package cpu

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/key"
)

// TestManyNaNs sorts floats among which are no NaNs, a few and nothing else, of
// one sign and of both, in every order and at every level.
func TestManyNaNs(t *testing.T) {
	t.Run("f32", testManyNaNs[uint32])
	t.Run("f64", testManyNaNs[uint64])
}

func testManyNaNs[U wide](t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	infinity, sign := U(0xff)<<23, U(1)<<31
	if unsafe.Sizeof(sign) == 8 {
		exponent := uint64(0x7ff)
		infinity, sign = U(exponent<<52), U(exponent<<63)
	}
	take := soak.Share(t, 4, 1) // of the long ones
	for _, c := range []key.Codec{key.CodecFloatNaNFirst, key.CodecFloatNaNLast,
		key.CodecFloatNaNFirst | key.CodecDesc, key.CodecFloatNaNLast | key.CodecDesc} {
		for _, negative := range []string{"none", "half", "all"} {
			for _, n := range []int{7, 100, 300, 5000, 70_000} {
				for _, every := range []int{1, 2, 1000, n + 1} {
					if n > 5000 && !take() {
						continue
					}
					x := make([]U, n)
					for i := range x {
						x[i] = U(r.Uint64()) % infinity
						if i%every == every/2 {
							x[i] = infinity + 1 + U(r.Uint64N(5000))
						}
						if negative == "all" || negative == "half" && r.IntN(2) == 0 {
							x[i] |= sign
						}
					}
					want := slices.Clone(x)
					slices.SortFunc(want, func(a, b U) int { return cmp.Compare(key.Encode(c, a), key.Encode(c, b)) })
					for level := simd.Plain; level <= simd.Best(); level++ {
						restore := simd.Force(level)
						for _, workers := range []int{1, 2} {
							got := slices.Clone(x)
							if err := Keys(got, c, Options{Workers: workers}); err != nil || !slices.Equal(got, want) {
								t.Fatalf("%v, codec %d, negative: %s, n=%d, a NaN of %d, %d workers: wrong, %v", level, c, negative, n, every, workers, err)
							}
						}
						restore()
					}
				}
			}
		}
	}
}

// TestCancelledNaNs cancels sorts of floats, most of them NaNs, at each look at the
// context: what returns without an error is sorted.
func TestCancelledNaNs(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for _, n := range []int{9000, forkItems - 1, forkItems + 1} {
		in := make([]uint64, n)
		for i := range in {
			in[i] = r.Uint64() | 0xfff<<52*(r.Uint64()&1)
		}
		const c = key.CodecFloatNaNFirst
		want := slices.Clone(in)
		slices.SortFunc(want, func(a, b uint64) int { return cmp.Compare(key.Encode(c, a), key.Encode(c, b)) })
		for at := 0; ; at++ {
			x, looks := slices.Clone(in), 0
			err := Keys(x, c, Options{Workers: 1, look: func() bool { looks++; return looks > at }})
			if err == nil && !slices.Equal(x, want) {
				t.Errorf("n=%d: cancelled at look %d of %d: no error, and not sorted", n, at, looks)
			}
			if looks <= at {
				break
			}
			if err == nil {
				t.Errorf("n=%d: cancelled at look %d: no error", n, at)
			}
			slices.Sort(x)
			if all := slices.Sorted(slices.Values(in)); !slices.Equal(x, all) {
				t.Errorf("n=%d: cancelled at look %d: other keys", n, at)
			}
		}
	}
}
