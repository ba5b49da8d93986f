package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
)

// TestLongPairs sorts pairs and positions that are written past the caches, of
// keys that argsort splits and of some that it leaves to quicksort, at every
// level. Pairs whose values are their positions are in order, stably, if keys
// rise, and positions where keys are equal, and each key is that of its position.
func TestLongPairs(t *testing.T) {
	if testing.Short() {
		absent.Skip(t, "a run without -short", "the race detector, which it is for, takes tens of times as long")
	}
	for _, s := range longFills {
		for l := simd.Plain; l <= simd.Best(); l++ {
			t.Run(fmt.Sprint(s.name, "/", l), func(t *testing.T) {
				defer simd.Force(l)()
				testLong[uint32](t, s.fill)
				testLong[uint64](t, s.fill)
			})
		}
	}
}

// TestSplitAgain is TestLongPairs where most parts are too long for a leaf: some are
// split by all workers, others by one.
func TestSplitAgain(t *testing.T) {
	if !simd.Available() {
		absent.Skip(t, "vectors", "this processor or build has no vector instructions; TestLongPairs splits the other way")
	}
	defer func(was int) { longLeafBytes = was }(longLeafBytes)
	longLeafBytes = 16 << 10
	for _, s := range longFills {
		if testing.Short() && s.name != "steep" {
			continue // the race detector, too: most splits within one another
		}
		t.Run(s.name, func(t *testing.T) {
			testLong[uint32](t, s.fill)
			testLong[uint64](t, s.fill)
		})
	}
}

// longFills make keys, i being the position.
var longFills = []struct {
	name string
	fill func(r *rand.Rand, i int) uint64
}{
	{"uniform", func(r *rand.Rand, _ int) uint64 { return r.Uint64() }},
	{"frequent", func(r *rand.Rand, _ int) uint64 { return (r.Uint64() >> r.IntN(64)) * 0x9e3779b97f4a7c15 }},
	{"steep", func(r *rand.Rand, _ int) uint64 { return r.Uint64() >> r.IntN(64) }},
	{"runs", func(_ *rand.Rand, i int) uint64 { return uint64(i%300_000) << 42 }},
	{"few", func(r *rand.Rand, _ int) uint64 { return r.Uint64N(5) << 60 }},
}

func testLong[U key.Word](t *testing.T, fill func(r *rand.Rand, i int) uint64) {
	const n = streamMin/4 + 12_345
	r := rand.New(rand.NewPCG(15, 16))
	in, pos := make([]U, n), make([]uint32, n+1)[1:]
	for i := range in {
		in[i] = U(fill(r, i) >> (64 - 8*unsafe.Sizeof(in[0])))
	}
	for i, c := range []key.Codec{key.CodecUnsigned, key.CodecFloatNaNLast} {
		o := Options{Workers: 1 + i}
		k := slices.Clone(in)
		count(pos, 0, 1)
		if err := Pairs(k, pos, c, o); err != nil {
			t.Fatal(err)
		}
		checkLong(t, "pairs", in, k, pos, c)
		clear(pos)
		if err := Argsort(in, pos, c, o); err != nil {
			t.Fatal(err)
		}
		for i, p := range pos {
			k[i] = in[p]
		}
		checkLong(t, "argsort", in, k, pos, c)
	}
}

func checkLong[U key.Word](t *testing.T, op string, in, k []U, pos []uint32, c key.Codec) {
	t.Helper()
	for i, p := range pos {
		if k[i] != in[p] {
			t.Fatalf("%s: key %d is not that of its position", op, i)
		}
		if i > 0 && (key.Encode(c, k[i]) < key.Encode(c, k[i-1]) || k[i] == k[i-1] && p <= pos[i-1]) {
			t.Fatalf("%s: out of order at %d", op, i)
		}
	}
}
