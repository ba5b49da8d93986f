//go:build amd64 && !noasm && !purego

package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFew sorts ranges of three to twenty values, with and without some that a
// sample misses, and codecs of each kind.
func TestFew(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		t.Run("u32", func(t *testing.T) {
			testFew(t, &FloatMap[uint32]{1<<23 - 1, 2*(1<<23-1) - 1, 1 << 31, 2 * (1<<23 - 1), 0})
		})
		t.Run("u64", func(t *testing.T) {
			testFew(t, &FloatMap[uint64]{1<<52 - 1, 2*(1<<52-1) - 1, 1 << 63, 0, ^uint64(0)})
		})
	})
}

func testFew[U Word](t *testing.T, f *FloatMap[U]) {
	r := rand.New(rand.NewPCG(15, 16))
	for trial := range 60 {
		values := make([]U, 1+trial%20)
		for i := range values {
			values[i] = U(r.Uint64())
		}
		values[0] = 0
		x := make([]U, fewMin-1+r.IntN(3*fewBlock))
		for i := range x {
			x[i] = values[r.IntN(len(values))]
		}
		for range trial % 4 {
			x[r.IntN(len(x))] = U(r.Uint64())
		}
		c := []Codec[U]{{}, {Mask: ^U(0) >> 1}, {Float: f}}[trial%3]
		want := slices.Clone(x)
		if c != (Codec[U]{}) {
			c.Encode(want)
		}
		slices.Sort(want)
		if c != (Codec[U]{}) {
			c.Decode(want)
		}
		parts := 0
		j := Job[U]{Scratch: new(Scratch[U]), Codec: c, Raw: true, Then: func(p []U) { parts += len(p) }}
		j.Sort(x, 0)
		if !slices.Equal(x, want) || parts != len(x) {
			t.Fatalf("trial %d, %d values of %d words: wrong (%d handed on)", trial, len(values), len(x), parts)
		}
	}
}
