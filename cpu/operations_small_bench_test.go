package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/cpu"
)

// BenchmarkFewItems calls operations on many short slices, and the loops that they stand for.
func BenchmarkFewItems(b *testing.B) {
	const all = 1 << 16
	r := rand.New(rand.NewPCG(5, 5))
	x, few, sorted := make([]uint64, all), make([]uint64, all), make([]uint64, all)
	for i := range x {
		x[i], few[i] = r.Uint64(), r.Uint64N(8)
	}
	work, dst, pos := make([]uint64, all), make([]uint64, all), make([]int, all)
	for _, n := range []int{2, 8, 32, 100, 1000} {
		idx := r.Perm(n)
		offsets := []int{0, n / 4, n / 2, n}
		each := func(f func(lo, hi int)) func() {
			return func() {
				for lo := 0; lo+n <= all; lo += n {
					f(lo, lo+n)
				}
			}
		}
		copy(sorted, few)
		each(func(lo, hi int) { slices.Sort(sorted[lo:hi]) })()
		runs := slices.Clone(x)
		each(func(lo, hi int) { slices.Sort(runs[lo : (lo+hi)/2]); slices.Sort(runs[(lo+hi)/2 : hi]) })()
		for _, c := range []struct {
			name       string
			from       []uint64
			ours, peer func(lo, hi int)
		}{
			{"unique", sorted, func(lo, hi int) { cpu.Unique(work[lo:hi]) }, func(lo, hi int) { _ = slices.Compact(work[lo:hi]) }},
			{"segments", x, func(lo, hi int) { cpu.SortSegments(work[lo:hi], offsets) }, func(lo, hi int) {
				for i := 1; i < len(offsets); i++ {
					slices.Sort(work[lo+offsets[i-1] : lo+offsets[i]])
				}
			}},
			{"gather", x, func(lo, hi int) { cpu.Gather(dst[lo:hi], work[lo:hi], idx) }, func(lo, hi int) {
				dst, src := dst[lo:hi], work[lo:hi]
				for i, at := range idx {
					dst[i] = src[at]
				}
			}},
			{"count", few, func(lo, hi int) { cpu.Count(work[lo:hi]) }, func(lo, hi int) {
				m := map[uint64]int{}
				for _, u := range work[lo:hi] {
					m[u]++
				}
			}},
			{"merge", runs, func(lo, hi int) { cpu.Merge(dst[lo:hi], work[lo:(lo+hi)/2], work[(lo+hi)/2:hi]) }, func(lo, hi int) {
				heapMerge(dst[lo:hi], [][]uint64{work[lo : (lo+hi)/2], work[(lo+hi)/2 : hi]})
			}},
			{"search", sorted, func(lo, hi int) { cpu.Search(work[lo:hi], few[lo:hi]) }, func(lo, hi int) {
				for i, q := range few[lo:hi] {
					pos[lo+i], _ = slices.BinarySearch(work[lo:hi], q)
				}
			}},
			{"smallest", x, func(lo, hi int) { cpu.Smallest(work[lo:hi], n/4) }, func(lo, hi int) {
				y := slices.Clone(work[lo:hi])
				slices.Sort(y)
				_ = y[:n/4]
			}},
		} {
			turns(b, fmt.Sprint(c.name, "/", n), all, func() { copy(work, c.from) }, each(c.ours), each(c.peer))
		}
	}
}
