package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestNet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 256; n++ {
		x := make([]uint32, n+20)
		for i := range x {
			x[i] = r.Uint32() >> (r.IntN(2) * 29)
		}
		want := slices.Clone(x)
		slices.Sort(want[10 : 10+n])
		Sort32AVX512(&x[10], n)
		if !slices.Equal(x, want) {
			t.Fatal(n)
		}
	}
	for n := 1; n <= 128; n++ {
		x := make([]uint64, n+20)
		for i := range x {
			x[i] = r.Uint64() >> (r.IntN(2) * 61)
		}
		want := slices.Clone(x)
		slices.Sort(want[10 : 10+n])
		Sort64AVX512(&x[10], n)
		if !slices.Equal(x, want) {
			t.Fatal(n)
		}
	}
	for n := 1; n <= 600; n++ {
		x := make([]uint32, n+20)
		for i := range x {
			x[i] = r.Uint32()
		}
		buf := make([]uint32, n+16)
		p := r.Uint32()
		var a, b []uint32
		for _, u := range x[10 : 10+n] {
			if u < p {
				a = append(a, u)
			} else {
				b = append(b, u)
			}
		}
		want := slices.Concat(x[:10], a, b, x[10+n:])
		if m := Part32AVX512(&x[10], n, p, &buf[0]); m != len(a) || !slices.Equal(x, want) {
			t.Fatal(n, m, len(a))
		}
	}
	for n := 1; n <= 600; n++ {
		x := make([]uint64, n+20)
		for i := range x {
			x[i] = r.Uint64()
		}
		buf := make([]uint64, n+16)
		p := r.Uint64()
		var a, b []uint64
		for _, u := range x[10 : 10+n] {
			if u < p {
				a = append(a, u)
			} else {
				b = append(b, u)
			}
		}
		want := slices.Concat(x[:10], a, b, x[10+n:])
		if m := Part64AVX512(&x[10], n, p, &buf[0]); m != len(a) || !slices.Equal(x, want) {
			t.Fatal(n, m, len(a))
		}
	}
}

func BenchmarkNet(b *testing.B) {
	x := make([]uint32, 256)
	y := make([]uint64, 128)
	for _, n := range []int{16, 32, 64, 128, 192, 256} {
		b.Run("32", func(b *testing.B) {
			for range b.N {
				Sort32AVX512(&x[0], n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
		})
		if n <= 128 {
			b.Run("64", func(b *testing.B) {
				for range b.N {
					Sort64AVX512(&y[0], n)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
			})
		}
	}
	z := make([]uint32, 1000)
	buf := make([]uint32, 2000)
	for i := range z {
		z[i] = rand.Uint32()
	}
	b.Run("part", func(b *testing.B) {
		for range b.N {
			Part32AVX512(&z[0], 1000, 1<<31, &buf[0])
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/key")
	})
	z64 := make([]uint64, 1000)
	buf64 := make([]uint64, 2000)
	for i := range z64 {
		z64[i] = rand.Uint64()
	}
	b.Run("part64", func(b *testing.B) {
		for range b.N {
			Part64AVX512(&z64[0], 1000, 1<<63, &buf64[0])
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/key")
	})
}
