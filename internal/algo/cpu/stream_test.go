package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestWriter distributes by lines written past the caches, to every alignment
// of the destination and in two parts, against a stable sort by the digit.
func TestWriter(t *testing.T) {
	if !simd.Available() {
		absent.Skip(t, "vectors", "this processor or build has no vector instructions")
	}
	t.Run("u64", func(t *testing.T) { testWriter(t, func(u, i uint64) uint64 { return u&0xff00 | i<<32 }) })
	t.Run("rec", func(t *testing.T) { testWriter(t, func(u, i uint64) rec { return rec{u & 0xff00, i} }) })
}

func testWriter[E elem](t *testing.T, make1 func(u, i uint64) E) {
	r := rand.New(rand.NewPCG(11, 12))
	d := digit{8, 0xff}
	w := new(writer)
	for n := 1; n < 9000; n += 1 + n/5 {
		for at := range 34 {
			src := make([]E, n)
			values := 1 + r.Uint64N(256)
			for i := range src {
				src[i] = make1(r.Uint64N(values)<<8, uint64(i))
			}
			want := slices.Clone(src)
			slices.SortStableFunc(want, func(a, b E) int { return int(d.of(word(&a))) - int(d.of(word(&b))) })
			room := make([]E, n+2*40)
			mark := make1(0x5500, 1<<20)
			for i := range room {
				room[i] = mark
			}
			dst := room[at+6 : at+6+n]
			half := n / 2
			total, first := countOf(src, d), countOf(src[:half], d)
			sum := 0
			var places [2]counts
			for b := range radix {
				places[0][b], places[1][b] = sum, sum+first[b]
				sum += total[b]
			}
			for p, part := range [][]E{src[:half], src[half:]} {
				startWriter(w, dst, &places[p])
				moveLines(part, dst, w, d)
				drainLines(dst, w)
			}
			if !slices.Equal(dst, want) {
				t.Fatalf("%d elements at %d are wrong", n, at)
			}
			for i, e := range room {
				if (i < at+6 || i >= at+6+n) && e != mark {
					t.Fatalf("%d elements at %d: wrote outside, at %d", n, at, i-at-6)
				}
			}
		}
	}
}

// countOf counts the digits of src.
func countOf[E elem](src []E, d digit) counts {
	var c counter
	_ = countBlock(src, &c, d, 0)
	c.settle()
	return c.n
}
