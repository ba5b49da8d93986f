package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// chunkShapes are inputs that take the ways of a split by chunks which the usual
// shapes do not: a bit that the sample misses, in the last chunk; buckets that
// are split again; words that two digits do not tell apart; and digits in which
// only one of the two varies.
var chunkShapes = []struct {
	name string
	word func(r *rand.Rand, i, n int) uint64
}{
	{"uniform", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }},
	{"late-skew", func(r *rand.Rand, i, n int) uint64 {
		if i > n*3/4 {
			return r.Uint64() | 0x2aa<<52
		}
		return r.Uint64()
	}},
	{"skewed-below", func(r *rand.Rand, i, _ int) uint64 {
		w := r.Uint64()
		if w>>55 > 400 {
			w |= 0x3fa << 44
		}
		return w
	}},
	{"late-outlier", func(r *rand.Rand, i, n int) uint64 {
		if i == n-2 {
			return 1 << 63
		}
		return r.Uint64() >> 40
	}},
	{"one-bucket", func(r *rand.Rand, i, _ int) uint64 {
		if i%50 == 0 {
			return r.Uint64()
		}
		return 7<<60 | r.Uint64()>>9
	}},
	{"few-high-bits", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(300)<<55 | r.Uint64()>>30 }},
	{"upper-digit", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() >> 46 << 46 }},
	{"lower-digit", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64()>>58<<58 | r.Uint64()>>55<<40 }},
	{"ties", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(40_000) << 33 }},
	{"short", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(11) }},
	{"constant", func(*rand.Rand, int, int) uint64 { return 99 << 50 }},
	{"falling", func(_ *rand.Rand, i, n int) uint64 { return uint64(n-i) << 44 }},
}

// TestChunks sorts records, whose values tell ties apart, by all bits and by the
// upper half, and keys of 32 and 64 bits, in several chunks.
func TestChunks(t *testing.T) {
	defer simd.Force(simd.Plain)()
	ns := []int{1, 40, 1000, chunkBytes/16 + 1, 3*chunkBytes/16 - 5, 200_000}
	r := rand.New(rand.NewPCG(21, 22))
	for i, s := range chunkShapes {
		for k, n := range ns {
			if testing.Short() && k > 2 && k != 3+i%6 {
				continue // a long one of every other shape
			}
			in := make([]rec, n)
			for i := range in {
				in[i] = rec{s.word(r, i, n), uint64(i)}
			}
			for _, low := range []uint{0, 32} {
				want := slices.Clone(in)
				slices.SortStableFunc(want, func(a, b rec) int { return cmp.Compare(a.k>>low, b.k>>low) })
				for _, workers := range []int{1, 3} {
					name := fmt.Sprintf("%s/n=%d/low=%d/workers=%d", s.name, n, low, workers)
					if got := chunkRecords(in, low, workers); !slices.Equal(got, want) {
						t.Errorf("%s: records are wrong", name)
					}
				}
			}
			for _, workers := range []int{1, 3} {
				name := fmt.Sprintf("%s/n=%d/workers=%d", s.name, n, workers)
				chunkKeys(t, name, in, func(w uint64) uint32 { return uint32(w >> 32) }, workers)
				chunkKeys(t, name, in, func(w uint64) uint64 { return w }, workers)
			}
		}
	}
}

// chunkRecords sorts in by bits [low, 64) of its keys.
func chunkRecords(in []rec, low uint, workers int) []rec {
	got := make([]rec, len(in))
	r := newRun(Options{Workers: workers})
	j := job[rec]{run: r, n: len(in), low: low, emit: func(e []rec, at int) { copy(got[at:], e) }}
	j.block = func(i, k int, buf []rec) []rec { return buf[:copy(buf, in[i:k])] }
	j.sort()
	_ = r.end()
	return got
}

// chunkKeys sorts the keys that of makes, repeated until they fill three chunks.
func chunkKeys[U wide](t *testing.T, name string, in []rec, of func(w uint64) U, workers int) {
	t.Helper()
	if len(in) < 1000 {
		return
	}
	x, zones := guarded[U](max(len(in), 3*chunkBytes/4))
	for i := range x {
		x[i] = of(in[i%len(in)].k)
	}
	y, want := slices.Clone(x), slices.Clone(x)
	slices.Sort(want)
	if err := Keys(x, key.CodecUnsigned, Options{Workers: workers}); err != nil || !slices.Equal(x, want) {
		t.Errorf("%s: %T keys are wrong (%v)", name, x, err)
	}
	copy(x, y)
	slices.Reverse(want)
	if err := Keys(x, key.CodecDesc, Options{Workers: workers}); err != nil || !slices.Equal(x, want) {
		t.Errorf("%s: %T keys in descending order are wrong (%v)", name, x, err)
	}
	zones(t)
}
