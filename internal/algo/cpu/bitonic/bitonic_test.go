package bitonic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

var sizes = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 100, 255, 257, 1000, 4095, 4097}

// TestKeys sorts every width, with few and many distinct keys.
func TestKeys(t *testing.T) {
	for _, m := range Methods {
		testKeys[uint8](t, m)
		testKeys[uint16](t, m)
		testKeys[uint32](t, m)
		testKeys[uint64](t, m)
	}
}

func testKeys[U key.Word](t *testing.T, m Method) {
	rng := rand.New(rand.NewPCG(1, uint64(m)))
	for _, n := range sizes {
		for _, mask := range []uint64{math.MaxUint64, 3} {
			x := make([]U, n)
			for i := range x {
				x[i] = U(rng.Uint64() & mask)
			}
			want := slices.Clone(x)
			slices.SortFunc(want, func(a, b U) int { return cmp.Compare(b, a) })
			if err := Keys(m, x, key.CodecDesc, nil); err != nil || !slices.Equal(x, want) {
				t.Fatalf("%v of %d %T: wrong order, %v", m, n, U(0), err)
			}
		}
	}
}

// TestFloats compares with slices.Sort, which puts NaN first.
func TestFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, m := range Methods {
		x := make([]float64, 1001)
		bitsOf := make([]uint64, len(x))
		for i := range x {
			x[i] = []float64{rng.NormFloat64(), math.Inf(1), math.Inf(-1), math.NaN(), float64(rng.IntN(3))}[rng.IntN(5)]
			bitsOf[i] = math.Float64bits(x[i])
		}
		slices.Sort(x)
		if err := Keys(m, bitsOf, key.CodecOf(key.F64, key.Order{}), nil); err != nil {
			t.Fatal(err)
		}
		for i := range x {
			if math.Float64bits(x[i]) != bitsOf[i] {
				t.Fatalf("%v: item %d is %v, want %v", m, i, math.Float64frombits(bitsOf[i]), x[i])
			}
		}
	}
}

// TestStable sorts pairs and indices with many ties, both ways.
func TestStable(t *testing.T) {
	for _, m := range Methods {
		testStable[uint8, uint64](t, m, 0xff)
		testStable[uint32, uint32](t, m, 7)
		testStable[uint64, uint32](t, m, 0x3_0000_0003)
		testStable[uint64, uint64](t, m, math.MaxUint64)
	}
}

func testStable[U key.Word, V Word32or64](t *testing.T, m Method, mask uint64) {
	rng := rand.New(rand.NewPCG(5, uint64(m)))
	for _, n := range sizes {
		for _, c := range []key.Codec{key.CodecUnsigned, key.CodecDesc} {
			keys, values := make([]U, n), make([]V, n)
			order := make([]int, n)
			for i := range keys {
				keys[i], values[i], order[i] = U(rng.Uint64()&mask), V(rng.Uint64()), i
			}
			slices.SortStableFunc(order, func(a, b int) int {
				if c == key.CodecDesc {
					a, b = b, a
				}
				return cmp.Compare(keys[a], keys[b])
			})
			id := fmt.Sprintf("%v of %d %T, codec %d", m, n, U(0), c)
			idx := make([]V, n)
			if err := Argsort(m, keys, idx, c, nil); err != nil {
				t.Fatal(err)
			}
			k, v := slices.Clone(keys), slices.Clone(values)
			if err := Pairs(m, k, v, c, nil); err != nil {
				t.Fatal(err)
			}
			for i, from := range order {
				if idx[i] != V(from) || k[i] != keys[from] || v[i] != values[from] {
					t.Fatalf("%s: item %d is %d, %d, %d; want that of %d", id, i, idx[i], k[i], v[i], from)
				}
			}
		}
	}
}

// TestCancelled leaves a permutation.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range Methods {
		x := make([]uint32, 1<<17)
		for i := range x {
			x[i] = uint32(len(x) - i)
		}
		if err := Keys(m, x, key.CodecSigned, ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", m, err)
		}
		slices.Sort(x)
		for i := range x {
			if x[i] != uint32(i+1) {
				t.Fatalf("%v: lost %d", m, i+1)
			}
		}
		idx := make([]uint64, 1<<17)
		if err := Argsort(m, x, idx, 0, ctx); !errors.Is(err, context.Canceled) || idx[77] != 77 {
			t.Errorf("%v: %v", m, err)
		}
	}
}

// BenchmarkLadder is report 004's table.
func BenchmarkLadder(b *testing.B) {
	for _, n := range []int{1 << 14, 1 << 20} {
		in := make([]uint32, n)
		rng := rand.New(rand.NewPCG(9, 9))
		for i := range in {
			in[i] = rng.Uint32()
		}
		x := make([]uint32, n)
		for _, m := range Methods {
			b.Run(fmt.Sprintf("%v/n=%d", m, n), func(b *testing.B) {
				b.SetBytes(int64(4 * n))
				for range b.N {
					copy(x, in)
					_ = Keys(m, x, key.CodecUnsigned, nil) // without a context it cannot fail
				}
			})
		}
	}
}
