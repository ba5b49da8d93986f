package cpu_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// TestOperationsOfDisorder gives slices in no order to what wants sorted ones: no call
// panics, and a merge has all keys.
func TestOperationsOfDisorder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{10, 1000, 400_000} {
		a, b := make([]float32, n), make([]float32, n/2)
		for i := range a {
			a[i] = float32(r.IntN(2*n)) - float32(n)
		}
		for i := range b {
			b[i] = a[r.IntN(n)]
		}
		dst := make([]float32, len(a)+len(b))
		cpu.Merge(dst, a, b)
		all := append(slices.Clone(a), b...)
		slices.Sort(all)
		slices.Sort(dst)
		if !slices.Equal(all, dst) {
			t.Errorf("%d keys: a merge of unsorted runs has lost some", n)
		}
		for _, p := range cpu.Search(a, b) {
			if p < 0 || p > n {
				t.Errorf("place %d among %d", p, n)
			}
		}
		_, _, _ = cpu.Union(a, b), cpu.Intersect(a, b), cpu.Difference(a, b)
		if g := cpu.Groups(a); g[len(g)-1] != n {
			t.Errorf("groups end at %d, not %d", g[len(g)-1], n)
		}
		if u := cpu.Unique(slices.Clone(a)); len(u) > n {
			t.Error("more unique keys than keys")
		}
	}
}

// FuzzOperations compares all operations on keys of the fuzzer's making with those by
// comparison.
func FuzzOperations(f *testing.F) {
	f.Add(uint16(40), uint64(1), uint8(0))
	f.Add(uint16(1000), uint64(77), uint8(4))
	f.Fuzz(func(t *testing.T, n uint16, seed uint64, order uint8) {
		o := orders[int(order)%len(orders)]
		newCase[float64, uint64](t, key.F64, o).all(int(n)%3000, seed)
		newCase[float32, uint32](t, key.F32, o).all(int(n)%3000, seed)
		newCase[int16, uint16](t, key.I16, o).all(int(n)%3000, seed)
	})
}
