//go:build amd64 && !noasm && !purego

package simd

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestSwap exchanges ranges of every length around a few turns, from any
// alignment on, inside marked neighbours.
func TestSwap(t *testing.T) {
	if !Available() {
		absent.Skip(t, "vectors", "this processor or build has no vector instructions")
	}
	t.Run("u32", testSwap[uint32])
	t.Run("u64", testSwap[uint64])
}

func testSwap[U Word](t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	x := make([]U, 2000)
	for n := range 700 {
		for i := range x {
			x[i] = U(r.Uint64())
		}
		from, to := r.IntN(200), 1000+r.IntN(200)
		want := slices.Clone(x)
		copy(want[from:from+n], x[to:to+n])
		copy(want[to:to+n], x[from:from+n])
		Swap(x[from:from+n], x[to:to+n])
		if !slices.Equal(x, want) {
			t.Fatalf("%d words from %d and %d are not exchanged", n, from, to)
		}
	}
}
