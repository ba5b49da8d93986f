package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// TestSelect compares with Keys, at every level of instructions, of lengths at which x
// is divided and of some that are sorted at once.
func TestSelect(t *testing.T) {
	for l := simd.Plain; l <= simd.Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer simd.Force(l)()
			testSelect[uint8](t)
			testSelect[uint16](t)
			testSelect[uint32](t)
			testSelect[uint64](t)
		})
	}
}

func testSelect[U key.Word](t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	bits := make([]uint64, 66_000)
	for _, s := range shapes {
		s.fill(r, bits)
		for _, n := range []int{1, 2, 100, selectMin, selectMin + 1, 10_000, len(bits)} {
			in := make([]U, n)
			for i := range in {
				in[i] = U(bits[i])
			}
			for c := key.Codec(0); c < 8; c++ {
				if c&key.CodecFloatNaNFirst != 0 && unsafe.Sizeof(U(0)) < 4 {
					continue
				}
				want := slices.Clone(in)
				if err := Keys(want, c, Options{}); err != nil {
					t.Fatal(err)
				}
				k := r.IntN(n)
				for k > 0 && c&1 == 0 && want[k] == want[k-1] {
					k-- // the first of equal keys
				}
				x := slices.Clone(in)
				if err := Select(x, k, c, Options{Workers: 1 + n%2}); err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s of %d %T, codec %d, place %d", s.name, n, x[0], c, k)
				if x[k] != want[k] {
					t.Fatalf("%s: %x, want %x", name, x[k], want[k])
				}
				at := key.Encode(c, x[k])
				for i, u := range x {
					if e := key.Encode(c, u); i < k && e > at || i > k && e < at {
						t.Fatalf("%s: key %d is on the wrong side", name, i)
					}
				}
				if err := Keys(x, c, Options{}); err != nil || !slices.Equal(x, want) {
					t.Fatalf("%s: other keys than before", name)
				}
			}
		}
	}
}
