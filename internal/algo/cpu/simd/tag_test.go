package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTagSplit tags in pieces into one room, as argsort does, and compares with
// the words made one by one.
func TestTagSplit(t *testing.T) {
	for l := Plain; l <= Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer Force(l)()
			r := rand.New(rand.NewPCG(11, 12))
			for n := range 300 {
				at, piece := r.IntN(1<<20), 1+r.IntN(100)
				k, want := make([]uint32, n), make([]uint64, n)
				for i := range k {
					k[i] = r.Uint32() >> r.IntN(32)
					want[i] = uint64(k[i])<<32 | uint64(at+i)
				}
				pivot := uint64(r.Uint32()>>r.IntN(32)) << 32
				all := make([]uint64, n+2)
				room, below := all[1:1+n], 0
				for i := 0; i < n; i += piece {
					e := min(n, i+piece)
					m := TagSplit(k[i:e], at+i, pivot, room)
					below += m
					room = room[m : len(room)-(e-i-m)]
				}
				got := all[1 : 1+n]
				if len(room) != 0 || all[0] != 0 || all[n+1] != 0 {
					t.Fatalf("%d keys: %d words of room left, neighbours %d and %d", n, len(room), all[0], all[n+1])
				}
				for i, w := range got {
					if (w < pivot) != (i < below) {
						t.Fatalf("%d keys: word %d is on the wrong side of %d", n, i, below)
					}
				}
				low := make([]uint32, n)
				Low32(low, got)
				for i, w := range got {
					if low[i] != uint32(w) {
						t.Fatalf("%d keys: low half %d is wrong", n, i)
					}
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Fatalf("%d keys: words differ", n)
				}
			}
		})
	}
}
