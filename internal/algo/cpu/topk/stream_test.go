package topk

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// TestSmallestOfFloats: few of many, where the last of them is a number or a NaN of either sign, and
// keys come in any order, so that better ones are found to the end.
func TestSmallestOfFloats(t *testing.T) {
	floats[uint64](t, key.F64, 52)
	floats[uint32](t, key.F32, 23)
	floats[uint16](t, key.F16, 10)
	floats[uint16](t, key.BF16, 7)
	floats[uint32](t, key.I32, 23)
}

func floats[U key.Word](t *testing.T, ty key.Type, mantissa uint) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, nans := range []int{0, 1, 20, 3000} {
		for _, o := range []key.Order{{}, {Desc: true}, {NaNLast: true}, {NaNLast: true, Desc: true}} {
			c := key.CodecOf(ty, o)
			x := make([]U, 50_001)
			top := ^(^U(0) >> 1)
			for i := range x {
				if x[i] = U(r.Uint64()) &^ (1 << mantissa); i < nans { // no exponent of all ones
					x[i] |= (top-1)&^(1<<mantissa-1) | 1
				}
			}
			copy(x[nans:], []U{0, top, (top - 1) &^ (1<<mantissa - 1), ^U(0) &^ (1<<mantissa - 1)})
			want := make([]U, len(x))
			for i, u := range x {
				want[i] = key.Encode(c, u)
			}
			slices.Sort(want)
			shuffled := slices.Clone(x)
			r.Shuffle(len(x), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			falling := slices.Clone(want)
			slices.Reverse(falling)
			for i, u := range falling {
				falling[i] = key.Decode(c, u)
			}
			for _, k := range []int{1, 19, 21, 1000, 3000} {
				for _, in := range [][]U{x, shuffled, falling} {
					out := make([]U, k)
					if err := stream(out, in, c, cpu.Options{Workers: 1 + k%3}); err != nil {
						t.Fatal(err)
					}
					slices.Sort(out)
					if !slices.Equal(out, want[:k]) {
						t.Fatalf("%v, order %+v, %d NaNs: not the least %d", ty, o, nans, k)
					}
				}
			}
		}
	}
}
