package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func testQuick[U Word](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, 100, 255, 256, 257, 300, 1000, 5000, 70000} {
		for _, f := range []func(i int) U{
			func(int) U { return U(r.Uint64()) }, func(int) U { return 7 }, func(i int) U { return U(i) },
			func(i int) U { return U(n - i) }, func(int) U { return U(r.Uint64N(5)) }, func(int) U { return ^U(0) - U(r.Uint64N(2)) },
			func(int) U { return U(r.Uint64N(1000)) }, func(i int) U { return U(min(i, n-i)) },
		} {
			x := make([]U, n+8)
			for i := range x {
				x[i] = f(i)
			}
			want := slices.Clone(x)
			slices.Sort(want[4 : 4+n])
			if !Available() {
				t.Skip("this processor or build has no kernels")
			}
			(&Job[U]{Scratch: new(Scratch[U])}).Sort(x[4:4+n], 0)
			if !slices.Equal(x, want) {
				t.Fatal(n)
			}
		}
	}
}

func TestQuick(t *testing.T) {
	t.Run("u32", testQuick[uint32])
	t.Run("u64", testQuick[uint64])
}
