package distinct

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
)

// counted compares Count of x with a map, its keys sorted by comparisons.
func counted[U key.Word](t *testing.T, name string, x []U, ty key.Type, o key.Order, workers int) {
	t.Helper()
	was := slices.Clone(x)
	c := key.CodecOf(ty, o)
	exact := o
	exact.EqualZeros = false
	order := verify.Compare[U](ty, exact)
	m := map[U]int{}  // by the key that stands for those that tie
	head := map[U]U{} // the first of those
	for _, u := range x {
		v := u
		if c&key.CodecEqualZeros != 0 {
			v = key.Canonical(c, u)
		}
		if h, ok := head[v]; !ok || order(u, h) < 0 {
			head[v] = u
		}
		m[v]++
	}
	var want []U
	of := map[U]int{}
	for v, h := range head {
		want = append(want, h)
		of[h] = m[v]
	}
	slices.SortFunc(want, order)
	values, counts, err := Count(ty, x, o, cpu.Options{Workers: workers})
	if err != nil || !slices.Equal(values, want) {
		t.Fatalf("%s of %v, order %+v, %d workers: %d values, not %d: %v", name, ty, o, workers, len(values), len(want), err)
	}
	for i, u := range want {
		if counts[i] != of[u] {
			t.Fatalf("%s of %v, order %+v, %d workers: %x is there %d times, not %d", name, ty, o, workers, u, counts[i], of[u])
		}
	}
	if len(counts) != len(want) || !slices.Equal(x, was) {
		t.Fatalf("%s of %v: %d counts of %d values, or the input was changed", name, ty, len(counts), len(want))
	}
}

// spread are n keys of so many distinct ones, zeros and NaNs among them.
func spread[U key.Word](r *rand.Rand, n, distinct int) []U {
	kinds := make([]U, distinct)
	for i := range kinds {
		kinds[i] = U(r.Uint64())
	}
	var top U = ^(^U(0) >> 1)
	copy(kinds, []U{0, top, ^U(0), ^U(0) - 1, top - 1, top - 2})
	x := make([]U, n)
	for i := range x {
		x[i] = kinds[r.IntN(distinct)]
	}
	return x
}

// TestCount has as many distinct keys as each way to count is for, and a sample that
// misleads each.
func TestCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	countOf[uint64](t, r, key.F64)
	countOf[uint64](t, r, key.I64)
	countOf[uint32](t, r, key.F32)
	countOf[uint32](t, r, key.U32)
	countOf[uint16](t, r, key.F16)
	countOf[uint8](t, r, key.I8)
}

func countOf[U key.Word](t *testing.T, r *rand.Rand, ty key.Type) {
	n := chunkItems + 77
	if testing.Short() {
		n = partedMin + 77
	}
	orders := []key.Order{{}, {Desc: true}, {EqualZeros: true, NaNLast: true}, {EqualZeros: true, Desc: true}}
	for i, distinct := range []int{1, 6, 300, mostFew / 2, 3 * mostFew, n / alike, n / 2, 4 * n} {
		distinct = min(distinct, 1<<min(ty.Bits(), 40))
		for j, o := range orders {
			if testing.Short() && (i+j)%2 == 1 {
				continue
			}
			x := spread[U](r, n, max(6, distinct))
			if distinct == 1 {
				clear(x)
			}
			counted(t, fmt.Sprint(distinct, " distinct"), x, ty, o, 1+(i+j)%3)
		}
	}
}

// TestWrongSample counts more distinct keys than a sample shows: a table that is full says
// so, and that of a part is made larger.
func TestWrongSample(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	x := spread[uint64](r, partedMin, 1000)
	room := func(n int) ([]uint64, []int) {
		if n != 1000 {
			t.Errorf("%d values of 1000", n)
		}
		return make([]uint64, n), make([]int, n)
	}
	none := func(int) ([]uint64, []int) { t.Error("counted"); return nil, nil }
	for workers := range 3 {
		h := cpu.Options{Workers: workers}
		if ok, err := countFew(x, 100, newHash(), h, none); ok || err != nil {
			t.Errorf("counted in one table: %v", err)
		}
		if ok, err := countFew(x, 400, newHash(), h, room); !ok || err != nil {
			t.Errorf("not counted in one table: %v", err)
		}
		if !simd.Available() {
			continue
		}
		if ok, err := countParts(x, 0, newHash(), h, room); !ok || err != nil {
			t.Errorf("not counted in parts: %v", err)
		}
	}
	words := make([]uint64, 2*mostInPart)
	for i := range words {
		words[i] = r.Uint64() >> partBits
	}
	if list, ok := countPart(words, 5, func() bool { return false }); ok {
		t.Errorf("counted %d in one part", len(list)/2)
	}
	list, ok := countPart(words[:1000], 5, func() bool { return false })
	if !ok || len(list) != 2000 {
		t.Errorf("%d numbers of 1,000 words, %v", len(list), ok)
	}
}

// TestCountRuns compares the counts of sorted keys, with runs about the ends of steps and
// chunks.
func TestCountRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	n := 3*chunkItems + 5
	var alone, pairs []int // each key alone; the same but for pairs, over ends of steps and chunks too
	for i := range n {
		alone = append(alone, i+1)
		if i%(stepItems/2) != stepItems/2-1 || i%3 == 0 {
			pairs = append(pairs, i+1)
		}
	}
	pairs[len(pairs)-1] = n
	for _, runs := range [][]int{{n}, alone, pairs, {chunkItems, n}, {stepItems - 1, stepItems + 1, chunkItems + 1, 2 * chunkItems, n}, {1, 2, 3, n - 1, n}, nil} {
		for at := 0; runs == nil || runs[len(runs)-1] < n; runs = append(runs, at) {
			at = min(n, at+1+r.IntN(1+r.IntN(3*stepItems)))
		}
		x, want := make([]uint32, n), []int{}
		lo := 0
		for i, hi := range runs {
			for ; lo < hi; lo++ {
				x[lo] = uint32(i)
			}
		}
		for i, hi := range runs {
			if i > 0 {
				hi -= runs[i-1]
			}
			want = append(want, hi)
		}
		counts := make([]int, n)
		m, err := countRuns(x, counts, compactStarts[uint32], cpu.Options{Workers: 2})
		if err != nil || !slices.Equal(counts[:m], want) {
			t.Fatalf("%d runs: %d counts of them are not right: %v", len(want), m, err)
		}
		for i, u := range x[:m] {
			if u != uint32(i) {
				t.Fatalf("%d runs: value %d is %d", len(want), i, u)
			}
		}
	}
}

// TestCountUntied counts distinct floats, with zeros and NaNs at the ends of steps and elsewhere.
func TestCountUntied(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	for _, negative := range []int{0, 1, stepItems - 2, stepItems - 1, stepItems, stepItems + 1, 2*stepItems + 100, 3 * stepItems} {
		for zeros := range 4 {
			x := make([]uint64, 3*stepItems)
			for i := range x {
				f := float64(i - negative)
				if i >= negative {
					f++
				}
				x[i] = math.Float64bits(f)
			}
			x = append(x, []uint64{0, 1 << 63, 0, 1 << 63}[:zeros]...)
			nan := math.Float64bits(math.NaN())
			x = append(x, []uint64{nan, 0x7ff8 << 48, 0x7ff0<<48 + 5, 0xfff8 << 48, nan}[:r.IntN(6)]...)
			r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
			for _, o := range []key.Order{{EqualZeros: true}, {EqualZeros: true, Desc: true}, {}} {
				counted(t, fmt.Sprintf("%d negative ones, %d zeros", negative, zeros), x, key.F64, o, 1)
			}
		}
	}
}

// TestOnePlace counts keys that all belong in one place of a table: it gives up after few
// steps for each key, and Count, whose hash nobody knows, is right.
func TestOnePlace(t *testing.T) {
	by := newHash()
	distinct := mostFew - 100
	x := make([]uint64, 40*distinct)
	for i := range x {
		x[i] = by.back(uint64(i % distinct))
	}
	var words [1]uint64
	if hashTo(words[:], x[7:8], by); words[0] != 7 {
		t.Fatalf("the hash of what has the hash 7 is %d", words[0])
	}
	none := func(int) ([]uint64, []int) { t.Error("counted"); return nil, nil }
	if ok, err := countFew(x, distinct, by, cpu.Options{Workers: 1}, none); ok || err != nil {
		t.Errorf("counted in one table: %v", err)
	}
	if simd.Available() {
		if ok, err := countParts(x, distinct, by, cpu.Options{Workers: 1}, none); ok || err != nil {
			t.Errorf("counted in parts: %v", err)
		}
	}
	counted(t, "keys of one place", x, key.U64, key.Order{}, 2)
}

// TestDistinctOf estimates how many keys are distinct, of each of which there are as many,
// and where half of all are one.
func TestDistinctOf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	x := make([]uint64, 1<<20)
	for _, distinct := range []int{1, 5, 1000, 10_000, 200_000} {
		for i := range x {
			x[i] = r.Uint64N(uint64(distinct))
		}
		if n := distinctOf(x); n < distinct*2/3 || n > distinct*3/2 {
			t.Errorf("%d distinct, not %d", n, distinct)
		}
	}
	for i := range x {
		if x[i] = r.Uint64(); i%2 == 0 {
			x[i] = 0
		}
	}
	if n := distinctOf(x); n < len(x)/3 {
		t.Errorf("%d distinct, where half are", n)
	}
}
