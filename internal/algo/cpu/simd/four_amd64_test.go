//go:build !noasm && !purego

package simd

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMergeFour makes steps of merges between guard pages, in both orders and in none, and compares what it wrote with
// a sort.
func TestMergeFour(t *testing.T) {
	mem := [3][]byte{guardedPages(t, 4096), guardedPages(t, 4096), guardedPages(t, 2*4096)}
	testMergeFour[uint32](t, mem)
	testMergeFour[uint64](t, mem)
}

func testMergeFour[U Word](t *testing.T, mem [3][]byte) {
	r := rand.New(rand.NewPCG(4, 44))
	for round := range 4000 {
		side, order := round%2, round/2%3 // 2 is no order
		a, b := guarded[U](mem[0], 2+r.IntN(200))[side], guarded[U](mem[1], 2+r.IntN(200))[side]
		dst := guarded[U](mem[2], len(a)+len(b))[side]
		few := uint64(1) << (2 + r.IntN(60))
		compare := cmp.Compare[U]
		if order == 1 {
			compare = func(x, y U) int { return cmp.Compare(y, x) }
		}
		for _, x := range [][]U{a, b} {
			for i := range x {
				x[i] = U(r.Uint64N(few))
			}
			if order < 2 {
				slices.SortFunc(x, compare)
			}
		}
		want := append(slices.Clone(a), b...)
		slices.SortFunc(want, compare)
		half := len(dst) / 2
		at := max(0, half-len(a)) // the first half's words of b
		for at < min(half, len(b)) && compare(b[at], a[half-at-1]) < 0 {
			at++
		}
		steps := min(at, len(b)-at, half-at, len(a)-half+at)
		if steps == 0 {
			continue
		}
		clear(dst)
		j, l, j2, l2 := MergeFour(dst, a, b, half, at, steps, order == 1)
		if order == 2 {
			continue
		}
		for i, u := range dst {
			written := i < steps || i >= half-steps && i < half+steps || i >= len(dst)-steps
			if written && u != want[i] || !written && u != 0 {
				t.Fatalf("%d and %d words, order %d, %d steps: word %d is %d, want %d", len(a), len(b), order, steps, i, u, want[i])
			}
		}
		// What is left and what was written are all words.
		all := slices.Concat(dst[:steps], a[steps-j:half-steps-l], b[j:l], dst[half-steps:half+steps],
			a[half+steps-j2:len(dst)-steps-l2], b[j2:l2], dst[len(dst)-steps:])
		slices.SortFunc(all, compare)
		if !slices.Equal(all, want) {
			t.Fatalf("%d and %d words, order %d, %d steps: some are left twice, or none", len(a), len(b), order, steps)
		}
	}
}
