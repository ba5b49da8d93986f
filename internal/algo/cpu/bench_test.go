package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

func rate(b *testing.B, n int) {
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mkeys/s")
}

func benchKeys[U key.Word](b *testing.B, n int, sort func(x []U)) {
	r := rand.New(rand.NewPCG(1, 2))
	copies := max(1, 100_000/n) // small inputs are sorted many at a time
	in := make([]U, n*copies)
	for i := range in {
		in[i] = U(r.Uint64())
	}
	x := slices.Clone(in)
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		copy(x, in)
		b.StartTimer()
		for i := range copies {
			sort(x[i*n : (i+1)*n])
		}
	}
	rate(b, n*copies)
}

// BenchmarkKeys compares with slices.Sort. -bench 'Keys/u32/n=1e7'.
func BenchmarkKeys(b *testing.B) {
	for _, n := range []int{8, 16, 32, 64, 128, 256, 512, 1024, 1e4, 1e5, 1e6, 1e7, 1e8} {
		b.Run(fmt.Sprintf("u32/n=%g/slices", float64(n)), func(b *testing.B) { benchKeys(b, n, slices.Sort[[]uint32]) })
		b.Run(fmt.Sprintf("u64/n=%g/slices", float64(n)), func(b *testing.B) { benchKeys(b, n, slices.Sort[[]uint64]) })
		for _, w := range []int{1, 2} {
			o := Options{Workers: w}
			b.Run(fmt.Sprintf("u32/n=%g/workers=%d", float64(n), w), func(b *testing.B) {
				benchKeys(b, n, func(x []uint32) { _ = Keys(x, key.CodecUnsigned, o) })
			})
			b.Run(fmt.Sprintf("u64/n=%g/workers=%d", float64(n), w), func(b *testing.B) {
				benchKeys(b, n, func(x []uint64) { _ = Keys(x, key.CodecUnsigned, o) })
			})
			b.Run(fmt.Sprintf("f32/n=%g/workers=%d", float64(n), w), func(b *testing.B) {
				benchKeys(b, n, func(x []uint32) { _ = Keys(x, key.CodecFloatNaNFirst, o) })
			})
			b.Run(fmt.Sprintf("f64/n=%g/workers=%d", float64(n), w), func(b *testing.B) {
				benchKeys(b, n, func(x []uint64) { _ = Keys(x, key.CodecFloatNaNFirst, o) })
			})
			b.Run(fmt.Sprintf("u16/n=%g/workers=%d", float64(n), w), func(b *testing.B) {
				benchKeys(b, n, func(x []uint16) { _ = Keys(x, key.CodecUnsigned, o) })
			})
		}
	}
}

type pair[K, V any] struct {
	k K
	v V
}

func benchPairs[K, V interface{ uint32 | uint64 }](b *testing.B, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	in := make([]K, n)
	for i := range in {
		in[i] = K(r.Uint64())
	}
	k, v, idx := make([]K, n), make([]V, n), make([]V, n)
	ps := make([]pair[K, V], n)
	b.Run("pairs/slices", func(b *testing.B) {
		for range b.N {
			for i := range ps {
				ps[i] = pair[K, V]{in[i], V(i)}
			}
			slices.SortFunc(ps, func(a, b pair[K, V]) int { return cmp.Compare(a.k, b.k) })
		}
		rate(b, n)
	})
	b.Run("argsort/slices", func(b *testing.B) {
		for range b.N {
			count(idx, 0, 1)
			slices.SortFunc(idx, func(a, b V) int { return cmp.Compare(in[a], in[b]) })
		}
		rate(b, n)
	})
	for _, w := range []int{1, 2} {
		b.Run(fmt.Sprintf("pairs/workers=%d", w), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				copy(k, in)
				b.StartTimer()
				_ = Pairs(k, v, 0, Options{Workers: w})
			}
			rate(b, n)
		})
		b.Run(fmt.Sprintf("argsort/workers=%d", w), func(b *testing.B) {
			for range b.N {
				_ = Argsort(in, idx, 0, Options{Workers: w})
			}
			rate(b, n)
		})
	}
}

func BenchmarkPayload(b *testing.B) {
	for _, n := range []int{1000, 1e5, 1e7} {
		b.Run(fmt.Sprintf("u32+u32/n=%g", float64(n)), func(b *testing.B) { benchPairs[uint32, uint32](b, n) })
		b.Run(fmt.Sprintf("u64+u64/n=%g", float64(n)), func(b *testing.B) { benchPairs[uint64, uint64](b, n) })
	}
}
