package merging

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

// TestTwo merges runs of many lengths, of few and many values, and looks at what is
// beside the destination.
func TestTwo(t *testing.T) {
	t.Run("u8", testTwo[uint8])
	t.Run("u16", testTwo[uint16])
	t.Run("u32", testTwo[uint32])
	t.Run("u64", testTwo[uint64])
}

// TestTwoOfDisorder merges what is in no order: all words are there, and nothing beside them is written.
func TestTwoOfDisorder(t *testing.T) {
	testTwoOfDisorder[uint16](t)
	testTwoOfDisorder[uint32](t)
	testTwoOfDisorder[uint64](t)
}

func testTwoOfDisorder[U key.Word](t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for range 300 {
		a, b := make([]U, r.IntN(3000)), make([]U, r.IntN(3000))
		for _, x := range [][]U{a, b} {
			for i := range x {
				x[i] = U(r.Uint64())
			}
			slices.Sort(x[:r.IntN(len(x)+1)])
		}
		room := make([]U, len(a)+len(b)+2)
		room[0], room[len(room)-1] = 77, 78
		got, want := room[1:len(room)-1], append(slices.Clone(a), b...)
		two(got, a, b, -U(r.IntN(2)))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || room[0] != 77 || room[len(room)-1] != 78 {
			t.Fatalf("%d and %d words in no order: not all are there", len(a), len(b))
		}
	}
}

func testTwo[U key.Word](t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{0, 1, 7, 15, 16, 17, 31, 64, 100, 1000, 5000} {
		for _, m := range []int{0, 1, 15, 16, 40, 1000, 4097} {
			for _, shift := range []int{0, 58} {
				draw := func(n int) []U {
					x := make([]U, n)
					for i := range x {
						x[i] = U(r.Uint64() >> shift << (shift / 2))
					}
					slices.Sort(x)
					return x
				}
				a, b := draw(n), draw(m)
				room := make([]U, n+m+2)
				room[0], room[n+m+1] = 77, 78
				Two(room[1:n+m+1], a, b)
				want := append(slices.Clone(a), b...)
				slices.Sort(want)
				if !slices.Equal(room[1:n+m+1], want) || room[0] != 77 || room[n+m+1] != 78 {
					t.Fatalf("%d and %d words, shift %d: not their merge", n, m, shift)
				}
				for _, x := range [][]U{a, b, want} {
					slices.Reverse(x)
				}
				two(room[1:n+m+1], a, b, ^U(0))
				if !slices.Equal(room[1:n+m+1], want) || room[0] != 77 || room[n+m+1] != 78 {
					t.Fatalf("%d and %d words, shift %d, descending: not their merge", n, m, shift)
				}
			}
		}
	}
}
