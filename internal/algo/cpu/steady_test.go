package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// shrinkSteady makes the bounds of steady sorts so small that a few thousand elements
// have many chunks, groups and buckets that are divided again.
func shrinkSteady(t testing.TB) {
	vars := []*int{&steadyMin, &steadyRoom, &steadyChunk, &steadyChunkPlain, &steadyLeaf}
	for i, small := range []int{1 << 10, 1 << 14, 20_000, 12_000, 1 << 9} {
		v, was := vars[i], *vars[i]
		*v = small
		t.Cleanup(func() { *v = was })
	}
}

// steadyShapes are keys whose buckets are even, few, nested, crowded, or known only
// from the last elements.
var steadyShapes = []struct {
	name string
	key  func(r *rand.Rand, i, n int) uint64
}{
	{"uniform", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }},
	{"almost-sorted", func(r *rand.Rand, i, n int) uint64 {
		if i == n-2 {
			return 1 << 33
		}
		return uint64(i) << 48
	}},
	{"almost-reversed", func(r *rand.Rand, i, n int) uint64 {
		if i == n/2 {
			return 77 << 40
		}
		return uint64(n-i) << 47
	}},
	{"almost-constant", func(r *rand.Rand, i, n int) uint64 {
		if i == 9 {
			return 1 << 60
		}
		return 5 << 34
	}},
	{"two", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(2) << 63 }},
	{"zipf", func(r *rand.Rand, _, _ int) uint64 { return (1 << 63 / (1 + r.Uint64N(1<<30))) << 1 }},
	{"hot-bucket", func(r *rand.Rand, i, _ int) uint64 {
		if i%20 == 0 {
			return r.Uint64()
		}
		return 7<<60 | r.Uint64()>>20
	}},
	{"hot-value", func(r *rand.Rand, i, _ int) uint64 {
		if i%5 == 0 {
			return r.Uint64()
		}
		return 0x7777 << 45
	}},
	{"equal-tops", func(r *rand.Rand, _, _ int) uint64 { return 0xabcd<<48 | r.Uint64N(500)<<33 }},
	{"late-top", func(r *rand.Rand, i, n int) uint64 {
		if i == n-3 {
			return ^uint64(0)
		}
		return r.Uint64() >> 17
	}},
	{"specials", func(r *rand.Rand, _, _ int) uint64 {
		return []uint64{0, 1 << 63, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0xfff8000000000003, ^uint64(0), 0x7fc00001 << 32, 0xffc00002 << 32}[r.IntN(9)]
	}},
}

// steadySizes are around multiples of the blocks, chunks and rooms of shrinkSteady,
// from the length on from which a sort looks at its context.
var steadySizes = []int{8 * blockItems, 8*blockItems + 1, 10_239, 14_000, 30_001}

// held is a key with its value.
type held[U key.Word, V Word32or64] struct {
	k U
	v V
}

// TestSteady compares steady sorts with a stable sort of structs.
func TestSteady(t *testing.T) {
	shrinkSteady(t)
	for l := simd.Plain; l <= simd.Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer simd.Force(l)()
			for i, s := range steadyShapes {
				for j, n := range steadySizes {
					if testing.Short() && (i+j)%5 != 0 {
						continue
					}
					name := fmt.Sprintf("%s/n=%d", s.name, n)
					o := Options{Workers: []int{1, 2, 5}[(i+j)%3], look: func() bool { return false }}
					steadyPairs[uint32, uint32](t, name, s.key, n, o)
					steadyPairs[uint32, uint64](t, name, s.key, n, o)
					steadyPairs[uint64, uint32](t, name, s.key, n, o)
					steadyPairs[uint64, uint64](t, name, s.key, n, o)
					steadyPairs[uint16, uint32](t, name, s.key, n, o)
				}
			}
		})
	}
}

// steadyInput makes n keys of a shape, with their positions, in slices whose
// surroundings are checked.
func steadyInput[U key.Word, V Word32or64](key func(r *rand.Rand, i, n int) uint64, n int) (k []U, v []V, in []held[U, V], zones func(t *testing.T)) {
	r := rand.New(rand.NewPCG(71, uint64(n)))
	k, kz := guarded[U](n)
	values, vz := guarded[V](n)
	in = make([]held[U, V], n)
	for i := range k {
		k[i] = U(key(r, i, n) >> (64 - 8*keySize[U]()))
		values[i] = V(i)
		in[i] = held[U, V]{k[i], values[i]}
	}
	return k, values, in, func(t *testing.T) { t.Helper(); kz(t); vz(t) }
}

func keySize[U key.Word]() int {
	bits := 0
	for u := ^U(0); u != 0; u >>= 4 {
		bits += 4
	}
	return bits / 8
}

func steadyPairs[U key.Word, V Word32or64](t *testing.T, name string, shape func(r *rand.Rand, i, n int) uint64, n int, o Options) {
	t.Helper()
	for _, c := range []key.Codec{key.CodecUnsigned, key.CodecFloatNaNLast, key.CodecFloatNaNFirst | key.CodecDesc} {
		if keySize[U]() < 4 && c != key.CodecUnsigned {
			c = key.CodecSigned
		}
		k, v, want, zones := steadyInput[U, V](shape, n)
		slices.SortStableFunc(want, func(a, b held[U, V]) int { return cmp.Compare(key.Encode(c, a.k), key.Encode(c, b.k)) })
		if err := Pairs(k, v, c, o); err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if k[i] != w.k || v[i] != w.v {
				t.Errorf("%s: %T and %T, codec %d, %d workers: wrong at %d", name, k, v, c, o.Workers, i)
				break
			}
		}
		zones(t)
	}
}

// TestSteadyStops cancels steady sorts at each look at the context.
func TestSteadyStops(t *testing.T) {
	shrinkSteady(t)
	for l := simd.Plain; l <= simd.Best(); l++ {
		if l == simd.AVX2 && simd.Best() != l {
			continue // its loops are those of AVX-512, and so are the looks
		}
		t.Run(l.String(), func(t *testing.T) {
			defer simd.Force(l)()
			for i, s := range steadyShapes {
				if testing.Short() && i%5 != 0 {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					for _, workers := range []int{1, 3} {
						stopPairs[uint64, uint64](t, s.key, workers)
						stopPairs[uint32, uint32](t, s.key, workers)
					}
				})
			}
		})
	}
}

// stopPairs sorts pairs as often as the context is looked at, and cancels at one look
// after the other: at each, or one in a
// few if there are thousands, for one worker and 64-bit keys, else at some.
func stopPairs[U key.Word, V Word32or64](t *testing.T, shape func(r *rand.Rand, i, n int) uint64, workers int) {
	const n = 9_000
	k, v, in, zones := steadyInput[U, V](shape, n)
	sort := func(at int64) (looks int64, err error) {
		for i, h := range in {
			k[i], v[i] = h.k, h.v
		}
		var seen atomic.Int64
		err = Pairs(k, v, key.CodecFloatNaNLast, Options{Workers: workers, look: func() bool { return seen.Add(1) >= at }})
		return seen.Load(), err
	}
	looks, err := sort(1 << 62)
	if err != nil {
		t.Fatal(err)
	}
	step := 1 + looks/1000
	if keySize[U]() < 8 || workers > 1 {
		step = 1 + looks/50
	}
	if testing.Short() {
		step = 1 + looks/10
	}
	for at := int64(1); at <= looks; at += step {
		if _, err := sort(at); err == nil && workers == 1 {
			t.Fatalf("look %d of %d did not end the sort", at, looks)
		}
		found := make([]bool, n)
		for i, p := range v {
			if int(p) >= n || found[p] || in[p].k != k[i] {
				t.Fatalf("%T and %T, %d workers, look %d of %d: pairs were lost or came apart at %d", k, v, workers, at, looks, i)
			}
			found[p] = true
		}
	}
	zones(t)
}
