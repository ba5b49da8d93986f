package merging

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/key"
)

// TestSides merges keys of one sign, which are merged by their bits, of both, and among them NaNs, infinities and zeros.
func TestSides(t *testing.T) {
	r := soak.Rand(t)
	for _, order := range []key.Order{{}, {Desc: true}, {NaNLast: true}, {Desc: true, NaNLast: true}, {EqualZeros: true}, {EqualZeros: true, NaNLast: true}} {
		sides[uint32](t, r, key.I32, order, 1<<31)
		sides[uint32](t, r, key.F32, order, 1<<31, 0x7f800000, 0x7fc00001, 0x7f800001, 1, 0)
		sides[uint64](t, r, key.U64, order, 1<<63)
		sides[uint64](t, r, key.I64, order, 1<<63)
		sides[uint64](t, r, key.F64, order, 1<<63, 0x7ff<<52, 0x7ff8<<48, 0x7ff<<52|1, 1, 0)
		sides[uint16](t, r, key.F16, order, 1<<15, 0x7c00, 0x7e00, 0x7c01, 1, 0)
	}
}

func sides[U key.Word](t *testing.T, r *rand.Rand, typ key.Type, order key.Order, sign U, special ...U) {
	less := func(c key.Codec) func(a, b U) int {
		return func(a, b U) int {
			switch x, y := key.Encode(c, a), key.Encode(c, b); {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		}
	}
	c := key.CodecOf(typ, order)
	for _, which := range []string{"positive", "negative", "both", "no negative but zero"} {
		for _, often := range []int{0, 3, 1000} { // one key of so many is special
			for _, length := range []int{1, 20, 3000, 30_000} {
				if length == 30_000 && often != 1000 {
					continue // more than one piece, once
				}
				k := 1 + r.IntN(5)
				runs := make([][]U, k)
				var want []U
				for i := range runs {
					runs[i] = make([]U, r.IntN(length+1))
					for j := range runs[i] {
						u := U(r.Uint64())
						if len(special) > 0 {
							if u &^= sign; u >= special[0] { // no NaN
								u = special[0] - 1
							}
							u |= U(r.Uint64()) & sign
						}
						if often > 0 && len(special) > 0 && r.IntN(often) == 0 {
							u = special[r.IntN(len(special))] | u&sign
						}
						switch which {
						case "positive":
							u &^= sign
						case "negative":
							u |= sign
						case "no negative but zero":
							if len(special) > 0 && u&^sign >= special[0] {
								u &= sign // nor NaN
							}
							if u&^sign != 0 {
								u &^= sign
							}
						}
						runs[i][j] = u
					}
					slices.SortStableFunc(runs[i], less(c))
					want = append(want, runs[i]...)
				}
				slices.SortFunc(want, less(c&^key.CodecEqualZeros))
				dst := make([]U, len(want))
				if err := Keys(typ, dst, runs, order, cpu.Options{Workers: 1 + r.IntN(2)}); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(dst, want) {
					t.Fatalf("%v, %+v: %d runs of up to %d %s keys, special one of %d: not their merge", typ, order, k, length, which, often)
				}
			}
		}
	}
}
