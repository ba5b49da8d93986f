package ops

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

type number interface {
	key.Key
	cmp.Ordered
}

// array is an operation on numbers.
type array[T number] struct {
	spec    Spec
	in      []T   // what is given, sorted where the operation wants it so
	queries []T   // of a search
	at      []int // of a gather: positions; of segments and runs: where they begin, and the end
	sorted  []T   // all of in, by slices.Sort
	x, dst  []T   // the copy that is worked on, and room for what is made of it
}

// Draw fills the input. Floats with NaN or −0 are refused: Go's order of them is
// another one.
func (a *array[T]) Draw(seed uint64) error {
	n := int(a.spec.Items)
	if a.in == nil {
		a.in, a.x, a.dst, a.sorted = make([]T, n), make([]T, n), make([]T, n), make([]T, n)
	}
	a.fill(a.in, seed)
	for _, v := range a.in {
		if v != v || v == 0 && math.Signbit(float64(v)) {
			return fmt.Errorf("the input holds NaN or −0, which Go's slices order in their own way")
		}
	}
	copy(a.sorted, a.in)
	sortAll(a.sorted)
	rng := rand.New(rand.NewPCG(seed, 2))
	switch a.spec.Op {
	case "unique", "runs":
		copy(a.in, a.sorted)
	case "search":
		a.queries = slices.Clone(a.in)
		copy(a.in, a.sorted)
	case "gather":
		a.at = rng.Perm(n)
	case "segmented", "merge":
		a.at = borders(n, int(a.spec.Segments), rng)
		if a.spec.Op == "merge" {
			for i := range len(a.at) - 1 {
				slices.Sort(a.in[a.at[i]:a.at[i+1]])
			}
		}
	}
	return nil
}

func (a *array[T]) fill(x []T, seed uint64) {
	dist.FillKeys(x, a.spec.Dist, seed)
	if m := a.spec.Max; m != 0 && key.Of[T]().Row().Kind == key.Unsigned {
		for i, v := range x {
			x[i] = T(uint64(v) % (m + 1))
		}
	}
}

// borders cuts n items at random into parts, some of which may be empty; into two in the
// middle.
func borders(n, parts int, rng *rand.Rand) []int {
	at := []int{0}
	if parts == 2 {
		return append(at, n/2, n)
	}
	for range parts - 1 {
		at = append(at, rng.IntN(n+1))
	}
	slices.Sort(at)
	return append(at, n)
}

// Run does it once.
func (a *array[T]) Run(ctx context.Context, by string, workers int, now func() time.Time) (time.Duration, error) {
	copy(a.x, a.in)
	s, err := cpu.New(cpu.WithWorkers(workers))
	if err != nil {
		return 0, err
	}
	do, check := a.of(ctx, s, by == Ours)
	start := now()
	err = do()
	took := now().Sub(start)
	if err != nil {
		return took, err
	}
	return took, check()
}

// of returns the operation by one of the contenders, and the check of its result.
func (a *array[T]) of(ctx context.Context, s *cpu.Sorter, ours bool) (do, check func() error) {
	n, k := len(a.x), int(a.spec.K)
	loop := func(f func()) func() error { return func() error { f(); return nil } }
	switch a.spec.Op {
	case "topk":
		var got []T
		do = func() (err error) { got, err = cpu.SmallestWith(ctx, s, a.x, k); return err }
		if !ours {
			do = loop(func() { y := slices.Clone(a.x); slices.Sort(y); got = y[:min(k, n)] })
		}
		return do, func() error { return same("key", got, a.sorted[:min(k, n)]) }
	case "select":
		var got T
		do = func() (err error) { got, err = cpu.SelectWith(ctx, s, a.x, k-1); return err }
		if !ours {
			do = loop(func() { slices.Sort(a.x); got = a.x[k-1] })
		}
		return do, func() error { return same("key", []T{got}, a.sorted[k-1:k]) }
	case "segmented":
		do = func() error { return cpu.SortSegmentsWith(ctx, s, a.x, a.at) }
		if !ours {
			do = loop(func() {
				for i := range len(a.at) - 1 {
					slices.Sort(a.x[a.at[i]:a.at[i+1]])
				}
			})
		}
		return do, a.checkSegments
	case "unique":
		var got []T
		do = func() (err error) { got, err = cpu.UniqueWith(ctx, s, a.x); return err }
		if !ours {
			do = loop(func() { got = slices.Compact(a.x) })
		}
		return do, func() error { return same("value", got, slices.Compact(slices.Clone(a.sorted))) }
	case "runs":
		var starts []int
		do = func() (err error) { starts, err = cpu.GroupsWith(ctx, s, a.x); return err }
		if !ours {
			do = loop(func() { _, starts = runsOf(a.x) })
		}
		return do, func() error {
			_, want := runsOf(a.sorted)
			return same("start", starts, want)
		}
	case "count":
		var values []T
		var counts []int
		do = func() (err error) { values, counts, err = cpu.CountWith(ctx, s, a.x); return err }
		if !ours {
			do = loop(func() { values, counts = countInMap(a.x) })
		}
		return do, func() error { return a.checkCounts(values, counts) }
	case "merge":
		runs := make([][]T, len(a.at)-1)
		for i := range runs {
			runs[i] = a.x[a.at[i]:a.at[i+1]]
		}
		do = func() error { return cpu.MergeWith(ctx, s, a.dst, runs...) }
		if !ours {
			do = loop(func() { mergeInPairs(a.dst, a.x, a.at) })
		}
		return do, func() error { return same("key", a.dst, a.sorted) }
	case "search":
		var got []int
		do = func() (err error) { got, err = cpu.SearchWith(ctx, s, a.x, a.queries); return err }
		if !ours {
			do = loop(func() {
				got = make([]int, len(a.queries))
				for i, q := range a.queries {
					got[i], _ = slices.BinarySearch(a.x, q)
				}
			})
		}
		return do, func() error { return checkPlaces(a, got) }
	case "gather":
		do = func() error { return cpu.GatherWith(ctx, s, a.dst, a.x, a.at) }
		if !ours {
			do = loop(func() {
				for i, at := range a.at {
					a.dst[i] = a.x[at]
				}
			})
		}
		return do, a.checkGathered
	}
	panic("ops: " + a.spec.Op + " works on no numbers") // the table has no other
}

// countInMap is what people write.
func countInMap[T number](x []T) (values []T, counts []int) {
	m := map[T]int{}
	for _, v := range x {
		m[v]++
	}
	values = slices.Sorted(maps.Keys(m))
	counts = make([]int, len(values))
	for i, v := range values {
		counts[i] = m[v]
	}
	return values, counts
}

// mergeInPairs merges neighbouring runs of x, which begin at the places in at, until one
// is left, in dst. x is used, too.
func mergeInPairs[T number](dst, x []T, at []int) {
	from, to := x, dst
	for at = slices.Clone(at); len(at) > 2; from, to = to, from {
		next := at[:1]
		for i := 0; i+1 < len(at); i += 2 {
			lo, mid := at[i], at[i+1]
			hi := mid
			if i+2 < len(at) {
				hi = at[i+2]
			}
			a, b, out := from[lo:mid], from[mid:hi], to[lo:hi]
			for k := range out {
				if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
					out[k], a = a[0], a[1:]
				} else {
					out[k], b = b[0], b[1:]
				}
			}
			next = append(next, hi)
		}
		at = next
	}
	if len(x) > 0 && &from[0] != &dst[0] {
		copy(dst, from)
	}
}
