package gpusort_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort"
)

// freshSizes are lengths of slices, the tiny ones densely.
var freshSizes = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 100, 1000}

// BenchmarkFresh sorts random slices, each of them other keys, by slices.Sort and
// by this package.
func BenchmarkFresh(b *testing.B) {
	benchFresh(b, "u8", func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
	benchFresh(b, "u16", func(r *rand.Rand) uint16 { return uint16(r.Uint32()) })
	benchFresh(b, "u32", (*rand.Rand).Uint32)
	benchFresh(b, "u64", (*rand.Rand).Uint64)
	benchFresh(b, "f32", (*rand.Rand).Float32)
	benchFresh(b, "f64", (*rand.Rand).NormFloat64)
}

func benchFresh[T interface {
	gpusort.Key
	cmp.Ordered
}](b *testing.B, name string, draw func(*rand.Rand) T) {
	r := rand.New(rand.NewPCG(1, 1))
	in := make([]T, 1<<16)
	for i := range in {
		in[i] = draw(r)
	}
	x := make([]T, len(in))
	for _, n := range freshSizes {
		run := func(sort func([]T)) func(b *testing.B) {
			return func(b *testing.B) {
				b.ReportAllocs()
				for done := 0; done < b.N; {
					copy(x, in)
					for at := 0; at+n <= len(x) && done < b.N; at += n + 1 {
						sort(x[at : at+n])
						done++
					}
				}
			}
		}
		b.Run(fmt.Sprintf("%s/n=%d/slices", name, n), run(slices.Sort[[]T]))
		b.Run(fmt.Sprintf("%s/n=%d/gpusort", name, n), run(gpusort.Sort[T]))
	}
}

// nearly are inputs of which few keys are out of place.
var nearly = []struct {
	name  string
	spoil func(r *rand.Rand, x []uint64)
}{
	{"one", func(r *rand.Rand, x []uint64) { x[r.IntN(len(x))] = r.Uint64() }},
	{"one-low-last", func(_ *rand.Rand, x []uint64) { x[len(x)-1] = 0 }},
	{"one-high-first", func(_ *rand.Rand, x []uint64) { x[0] = math.MaxUint64 }},
	{"swapped", func(r *rand.Rand, x []uint64) {
		i := r.IntN(len(x) - 1)
		x[i], x[i+1] = x[i+1], x[i]
	}},
	{"five", func(r *rand.Rand, x []uint64) { scatter(r, x, 5) }},
	{"hundred", func(r *rand.Rand, x []uint64) { scatter(r, x, 100) }},
	{"tail", func(r *rand.Rand, x []uint64) {
		for i := len(x) - min(100, len(x)/10); i < len(x); i++ {
			x[i] = r.Uint64()
		}
	}},
	{"falling-one", func(r *rand.Rand, x []uint64) {
		slices.Reverse(x)
		x[r.IntN(len(x))] = r.Uint64()
	}},
}

func scatter(r *rand.Rand, x []uint64, n int) {
	for range n {
		x[r.IntN(len(x))] = r.Uint64()
	}
}

// BenchmarkNearly sorts inputs that are nearly sorted; 16 of each kind, in turn.
func BenchmarkNearly(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		for _, kind := range nearly {
			r := rand.New(rand.NewPCG(1, 1))
			var in [16][]uint64
			for i := range in {
				in[i] = make([]uint64, n)
				for k := range in[i] {
					in[i][k] = r.Uint64()
				}
				slices.Sort(in[i])
				kind.spoil(r, in[i])
			}
			x := make([]uint64, n)
			run := func(sort func([]uint64)) func(b *testing.B) {
				return func(b *testing.B) {
					for i := range b.N {
						copy(x, in[i%len(in)])
						sort(x)
					}
				}
			}
			b.Run(fmt.Sprintf("%s/n=%d/slices", kind.name, n), run(slices.Sort[[]uint64]))
			b.Run(fmt.Sprintf("%s/n=%d/gpusort", kind.name, n), run(gpusort.Sort[uint64]))
		}
	}
}

// BenchmarkUniform sorts random keys on the CPU.
func BenchmarkUniform(b *testing.B) {
	for _, n := range []int{1e3, 1e5, 1e6, 1e7} {
		benchUniform[uint32](b, fmt.Sprintf("u32/n=%d", n), n)
		benchUniform[uint64](b, fmt.Sprintf("u64/n=%d", n), n)
	}
}

func benchUniform[T gpusort.Key](b *testing.B, name string, n int) {
	b.Run(name, func(b *testing.B) {
		in := random[T](n)
		x := make([]T, n)
		s, err := gpusort.New(gpusort.WithDevice("cpu"))
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		for b.Loop() {
			copy(x, in)
			if err := gpusort.SortWith(b.Context(), s, x); err != nil {
				b.Fatal(err)
			}
		}
	})
}
