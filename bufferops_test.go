package gpusort_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// number is what the tests of Buffers' operations sort.
type number interface {
	~uint8 | ~int32 | ~uint64 | ~float64
}

// TestBufferOperations: on the CPU and on every device, the operations on Buffers find what
// plain Go finds, in descending order.
func TestBufferOperations(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		for _, n := range []int{0, 1, 2, 1000, 70_001} {
			t.Run(fmt.Sprintf("u8/%d", n), func(t *testing.T) { operations[uint8, uint32](t, s, n, 256) })
			t.Run(fmt.Sprintf("i32/%d", n), func(t *testing.T) { operations[int32, int64](t, s, n, 500) })
			t.Run(fmt.Sprintf("u64/%d", n), func(t *testing.T) { operations[uint64, int32](t, s, n, 1<<40) })
			t.Run(fmt.Sprintf("f64/%d", n), func(t *testing.T) { operations[float64, int](t, s, n, 9000) })
		}
	})
}

// bed uploads and downloads for one test.
type bed struct {
	*testing.T
	s *gpusort.Sorter
}

func put[T any](b bed, x []T) *gpusort.Buffer[T] {
	b.Helper()
	y, err := gpusort.NewBuffer[T](b.s, len(x))
	if err == nil {
		err = y.Upload(b.Context(), x)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { y.Close() })
	return y
}

// same checks that y begins with want.
func same[T comparable](b bed, what string, y *gpusort.Buffer[T], want []T) {
	b.Helper()
	got := make([]T, y.Len())
	if err := y.Download(b.Context(), got); err != nil {
		b.Fatal(err)
	}
	for i, v := range want {
		if got[i] != v {
			b.Fatalf("%s: item %d of %d is %v, want %v", what, i, len(want), got[i], v)
		}
	}
}

// done fails if an operation was not carried out.
func (b bed) done(what string, err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("%s: %v", what, err)
	}
}

func operations[T number, I gpusort.Index](t *testing.T, s *gpusort.Sorter, n int, values uint64) {
	b, ctx := bed{t, s}, t.Context()
	r := rand.New(rand.NewPCG(uint64(n), values))
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.Uint64N(values))
	}
	down := func(a, b T) int { return cmp.Compare(b, a) }
	order := make([]I, n)
	for i := range order {
		order[i] = I(i)
	}
	slices.SortStableFunc(order, func(i, j I) int { return down(x[i], x[j]) })
	sorted := slices.Clone(x)
	slices.SortFunc(sorted, down)
	keys, in, idx := put(b, x), put(b, sorted), put(b, order)

	out := put(b, make([]T, n))
	b.done("gather", gpusort.GatherBuffer(ctx, out, keys, idx))
	same(b, "gather", out, sorted)
	for _, k := range []int{0, 1, n / 100, n / 2, n} {
		k = min(k, n)
		b.done("smallest", gpusort.SmallestBuffer(ctx, out.Slice(0, k), keys))
		same(b, "smallest", out, sorted[:k])
		b.done("smallest positions", gpusort.ArgSmallestBuffer(ctx, idx.Slice(0, k), keys))
		same(b, "smallest positions", idx, order[:k])
		b.done("largest", gpusort.LargestBuffer(ctx, out.Slice(0, k), keys))
		if k > 0 {
			same(b, "largest", out, []T{sorted[n-1]})
		}
		if k < n {
			v, err := gpusort.SelectBuffer(ctx, keys, k)
			b.done("select", err)
			if v != sorted[k] {
				t.Fatalf("select: key %d is %v, want %v", k, v, sorted[k])
			}
		}
	}
	same(b, "keys after all", keys, x)

	distinct := slices.Compact(slices.Clone(sorted))
	var starts, first []I
	for i, v := range sorted {
		if i == 0 || sorted[i-1] != v {
			starts = append(starts, I(i))
		}
	}
	starts = append(starts, I(n))
	m, err := gpusort.UniqueBuffer(ctx, out, in)
	b.done("unique", err)
	if m != len(distinct) {
		t.Fatalf("unique: %d keys, want %d", m, len(distinct))
	}
	same(b, "unique", out, distinct)
	begin := put(b, make([]I, len(starts)))
	m, err = gpusort.GroupsBuffer(ctx, begin, in)
	b.done("groups", err)
	if m != len(starts)-1 {
		t.Fatalf("groups: %d, want %d", m, len(starts)-1)
	}
	same(b, "groups", begin, starts)
	begin = put(b, make([]I, len(starts)))
	m, err = gpusort.RunsBuffer(ctx, out, begin, in)
	b.done("runs", err)
	if m != len(distinct) {
		t.Fatalf("runs: %d, want %d", m, len(distinct))
	}
	same(b, "values of runs", out, distinct)
	same(b, "starts of runs", begin, starts)
	for _, v := range x {
		at, _ := slices.BinarySearchFunc(sorted, v, down)
		first = append(first, I(at))
	}
	pos := put(b, make([]I, n))
	b.done("search", gpusort.SearchBuffer(ctx, pos, in, keys))
	same(b, "search", pos, first)
	segmentsAndMerge[T, I](b, x, sorted, down)
}

func segmentsAndMerge[T number, I gpusort.Index](b bed, x, sorted []T, down func(a, b T) int) {
	ctx, n := b.Context(), len(x)
	var even, odd []T
	for i, v := range sorted {
		if i%3 == 0 {
			even = append(even, v)
		} else {
			odd = append(odd, v)
		}
	}
	both := put(b, make([]T, n))
	b.done("merge", gpusort.MergeBuffer(ctx, both, put(b, even), put(b, odd)))
	same(b, "merge", both, sorted)
	offsets := []I{I(n / 10)}
	for i := 0; int(offsets[len(offsets)-1]) < n*9/10; i++ {
		offsets = append(offsets, min(I(n*9/10), offsets[len(offsets)-1]+I(i*i%40)))
	}
	want, positions := slices.Clone(x), make([]I, n)
	for i := range positions {
		positions[i] = I(i)
	}
	for i, to := range offsets[1:] {
		from := offsets[i]
		slices.SortFunc(want[from:to], down)
		slices.SortStableFunc(positions[from:to], func(i, j I) int { return down(x[i], x[j]) })
	}
	keys, at, idx := put(b, x), put(b, offsets), put(b, make([]I, n))
	b.done("positions of segments", gpusort.ArgsortSegmentsBuffer(ctx, idx, keys, at))
	same(b, "positions of segments", idx, positions)
	b.done("segments", gpusort.SortSegmentsBuffer(ctx, keys, at))
	same(b, "segments", keys, want)
}

// TestBufferOperationsRefused: what cannot be done is refused, with what would help.
func TestBufferOperationsRefused(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		b, ctx := bed{t, s}, t.Context()
		x, short := put(b, []int32{9, 7, 7, 5, 3}), put(b, []int32{0, 0})
		places, offsets := put(b, []int64{0, 5}), put(b, []uint32{0, 4, 2})
		idx := put(b, make([]uint32, 5))
		_, room := gpusort.UniqueBuffer(ctx, short, x)
		_, starts := gpusort.GroupsBuffer(ctx, put(b, []uint32{0, 0}), x)
		_, place := gpusort.SelectBuffer(ctx, x, 5)
		for _, c := range []struct {
			what, want string
			err        error
		}{
			{"more values than room", "4", room},
			{"more groups than room", "4", starts},
			{"a place behind the source", "5", gpusort.GatherBuffer(ctx, short, x, places)},
			{"lengths", "same length", gpusort.GatherBuffer(ctx, x, x, places)},
			{"places for queries", "same length", gpusort.SearchBuffer(ctx, idx, x, short)},
			{"lengths of runs", "as long as both", gpusort.MergeBuffer(ctx, x, x, short)},
			{"more than all", "6 of 5 keys", gpusort.SmallestBuffer(ctx, put(b, make([]int32, 6)), x)},
			{"place", "from 0 to 4", place},
			{"offsets", "offset", gpusort.SortSegmentsBuffer(ctx, x, offsets)},
			{"overlap", "overlap", gpusort.MergeBuffer(ctx, x, x.Slice(0, 3), short)},
		} {
			if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
				t.Errorf("%s: %v, want … %s", c.what, c.err, c.want)
			}
		}
		same(b, "keys after refusals", x, []int32{9, 7, 7, 5, 3})
	})
	if list, err := gpusort.Devices(); len(list) < 2 {
		absent.Skip(t, "opencl", "no device beside the CPU: %v", err)
	}
}
