//go:build !noasm

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
		if m := Part64AVX512(&x[10], n, p, &buf[0], &partLanes); m != len(a) || !slices.Equal(x, want) {
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
			Part64AVX512(&z64[0], 1000, 1<<63, &buf64[0], &partLanes)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/key")
	})
}

func testSplit[U Word](t *testing.T, split func(x *U, n int, pivot U) int) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 256; n <= 700; n++ {
		x := make([]U, n+20)
		for i := range x {
			x[i] = U(r.Uint64())
		}
		p := U(r.Uint64())
		in := slices.Clone(x)
		m := split(&x[10], n, p)
		for i, u := range x[10 : 10+n] {
			if (u < p) != (i < m) {
				t.Fatal(n, m, i)
			}
		}
		slices.Sort(x[10 : 10+n])
		slices.Sort(in[10 : 10+n])
		if !slices.Equal(x, in) {
			t.Fatal(n)
		}
	}
}

func TestSplit(t *testing.T) {
	testSplit(t, func(x *uint32, n int, p uint32) int { return Split32AVX512(x, n, p, &splitLanes) })
	testSplit(t, func(x *uint64, n int, p uint64) int { return Split64AVX512(x, n, p, &splitLanes) })
}

func BenchmarkPart(b *testing.B) {
	for _, n := range []int{512, 2048, 8192, 32768, 131072, 524288} {
		x32, x64, b32, b64 := make([]uint32, n), make([]uint64, n), make([]uint32, n+16), make([]uint64, n+16)
		fill := func() {
			for i := range x32 {
				x32[i], x64[i] = rand.Uint32(), rand.Uint64()
			}
		}
		run := func(name string, f func()) {
			b.Run(name, func(b *testing.B) {
				fill()
				b.ResetTimer()
				for range b.N {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
			})
		}
		// A fresh pivot each time keeps the data from settling.
		p := uint64(1)
		next := func() uint64 { p = p*0xd1342543de82ef95 + 1; return 1<<62 + p>>1 }
		run("part32", func() { Part32AVX512(&x32[0], n, uint32(next()>>32), &b32[0]) })
		run("split32", func() { Split32AVX512(&x32[0], n, uint32(next()>>32), &splitLanes) })
		run("part64", func() { Part64AVX512(&x64[0], n, next(), &b64[0], &partLanes) })
		run("split64", func() { Split64AVX512(&x64[0], n, next(), &splitLanes) })
	}
}
