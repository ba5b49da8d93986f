package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
)

// shrinkBounded makes the bounds of bounded sorts so small that a few thousand elements
// have many chunks, groups and buckets that are divided again.
func shrinkBounded(t testing.TB) { setBounded(t, 1<<10, 1<<14, 20_000, 12_000, 1<<9, 1<<10) }

// setBounded sets the bounds of bounded sorts for a test.
func setBounded(t testing.TB, bounds ...int) {
	vars := []*int{&boundedMin, &boundedRoom, &boundedChunk, &boundedChunkPlain, &boundedLeaf, &compactMin}
	for i, small := range bounds {
		v, was := vars[i], *vars[i]
		*v = small
		t.Cleanup(func() { *v = was })
	}
}

// boundedShapes are keys whose buckets are even, few, nested, crowded, or known only
// from the last elements.
var boundedShapes = []struct {
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

// boundedSizes are around multiples of the blocks, chunks and rooms of shrinkBounded,
// from the length on from which a sort looks at its context.
var boundedSizes = []int{8 * blockItems, 8*blockItems + 1, 10_239, 14_000, 30_001}

// held is a key with its value.
type held[U key.Word, V Word32or64] struct {
	k U
	v V
}

// TestBounded compares bounded sorts with a stable sort of structs.
func TestBounded(t *testing.T) {
	shrinkBounded(t)
	for l := simd.Plain; l <= simd.Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer simd.Force(l)()
			for i, s := range boundedShapes {
				for j, n := range boundedSizes {
					if m := (i + j) % len(boundedSizes); m > 2 || testing.Short() && m+i%3 > 0 {
						continue
					}
					name := fmt.Sprintf("%s/n=%d", s.name, n)
					o := Options{Workers: []int{1, 2, 5}[(i+j)%3], look: func() bool { return false }}
					if o.Compact = j%2 == 1; i%2 == 1 && o.Compact {
						o.look = nil // compact sorts need no reason to be bounded
					}
					boundedPairs[uint32, uint32](t, name, s.key, n, o)
					boundedPairs[uint64, uint64](t, name, s.key, n, o)
					if testing.Short() {
						continue
					}
					boundedPairs[uint32, uint64](t, name, s.key, n, o)
					boundedPairs[uint64, uint32](t, name, s.key, n, o)
					boundedPairs[uint16, uint32](t, name, s.key, n, o)
				}
			}
		})
	}
}

// boundedInput makes n keys of a shape, with their positions, in slices whose
// surroundings are checked.
func boundedInput[U key.Word, V Word32or64](key func(r *rand.Rand, i, n int) uint64, n int) (k []U, v []V, in []held[U, V], zones func(t *testing.T)) {
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

func boundedPairs[U key.Word, V Word32or64](t *testing.T, name string, shape func(r *rand.Rand, i, n int) uint64, n int, o Options) {
	t.Helper()
	for i, c := range []key.Codec{key.CodecUnsigned, key.CodecFloatNaNLast, key.CodecFloatNaNFirst | key.CodecDesc} {
		if (i+n+len(name))%3 == 0 {
			continue // two of the three
		}
		if keySize[U]() < 4 && c != key.CodecUnsigned {
			c = key.CodecSigned
		}
		k, v, want, zones := boundedInput[U, V](shape, n)
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

// TestBoundedKeys sorts keys without vector instructions, to the end and up to some of
// the looks at the context.
func TestBoundedKeys(t *testing.T) {
	defer simd.Force(simd.Plain)()
	shrinkBounded(t)
	for _, s := range boundedShapes {
		t.Run(s.name, func(t *testing.T) {
			boundedKeys[uint32](t, s.key, key.CodecUnsigned, 1)
			boundedKeys[uint32](t, s.key, key.CodecFloatNaNLast, 3)
			boundedKeys[uint64](t, s.key, key.CodecSigned|key.CodecDesc, 2)
		})
	}
}

func boundedKeys[U wide](t *testing.T, shape func(r *rand.Rand, i, n int) uint64, c key.Codec, workers int) {
	k, _, in, zones := boundedInput[U, uint32](shape, 14_000)
	sort := func(at int64) int64 {
		for i, h := range in {
			k[i] = h.k
		}
		var seen atomic.Int64
		_ = Keys(k, c, Options{Workers: workers, look: func() bool { return seen.Add(1) >= at }})
		return seen.Load()
	}
	looks := sort(1 << 62)
	if !IsSorted(k, c) {
		t.Errorf("%T, codec %d, %d workers: not in order", k, c, workers)
	}
	want := make([]U, len(in))
	for i, h := range in {
		want[i] = h.k
	}
	slices.Sort(want)
	for at := int64(1); at <= looks+looks/7; at += 1 + looks/7 {
		got := slices.Clone(k)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("%T, codec %d, %d workers, before look %d of %d: keys were lost", k, c, workers, at, looks)
		}
		sort(at)
	}
	zones(t)
}

// TestBoundedStops cancels bounded sorts at each look at the context.
func TestBoundedStops(t *testing.T) {
	shrinkBounded(t)
	for l := simd.Plain; l <= simd.Best(); l++ {
		if l == simd.AVX2 && simd.Best() != l {
			continue // its loops are those of AVX-512, and so are the looks
		}
		t.Run(l.String(), func(t *testing.T) {
			defer simd.Force(l)()
			for i, s := range boundedShapes {
				if testing.Short() && i%5 != 0 {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					stopPairs[uint64, uint64](t, s.key, 9_000, 1, 300)
					stopPairs[uint64, uint32](t, s.key, 9_000, 3, 50)
					stopPairs[uint32, uint32](t, s.key, 9_000, 3, 50)
				})
			}
		})
	}
}

// stopPairs sorts n pairs as often as the context is looked at, or some so many times if
// that is less, and cancels at one look after the other.
func stopPairs[U key.Word, V Word32or64](t *testing.T, shape func(r *rand.Rand, i, n int) uint64, n, workers int, times int64) {
	t.Helper()
	k, v, in, zones := boundedInput[U, V](shape, n)
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
	if looks == 0 {
		t.Fatal("the sort did not look at the context")
	}
	if testing.Short() {
		times = 10
	}
	step := 1 + looks/times
	for at := int64(1); at <= looks; at += step {
		// Samples are drawn anew in each sort, so that another may end before so many looks.
		if seen, err := sort(at); err == nil && seen >= at && workers == 1 {
			t.Fatalf("look %d of %d did not end the sort", at, looks)
		} else if err != nil && seen < at {
			t.Fatalf("%v after %d looks, of which none ended the sort", err, seen)
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

// TestBoundedLong sorts, and cancels, pairs of which a bucket that fits the room is
// divided there into parts too long for a leaf.
func TestBoundedLong(t *testing.T) {
	if testing.Short() {
		absent.Skip(t, "a run without -short", "the race detector, which it is for, takes tens of times as long")
	}
	setBounded(t, 1<<20, 1<<21, 1<<18, 1<<17)
	for l := simd.Plain; l <= simd.Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer simd.Force(l)()
			for i, s := range boundedShapes {
				n := 200_000 << (i % 2) // less, and more, than the room
				boundedPairs[uint64, uint64](t, s.name, s.key, n, Options{Workers: 2, look: func() bool { return false }})
				stopPairs[uint64, uint64](t, s.key, n, 2, 12)
			}
		})
	}
}
