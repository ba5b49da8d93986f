package cpu_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// BenchmarkOperations runs each operation and its peer in turn, with one worker, and reports the
// medians of processor time in nanoseconds an item, and their ratio. -benchtime=9x makes nine
// rounds. The median is selected beside NumPy, if GPUSORT_PYTHON names a Python that has it.
func BenchmarkOperations(b *testing.B) {
	s, err := cpu.New(cpu.WithWorkers(1))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("u64", func(b *testing.B) { benchmarks(b, s, func(u uint64) uint64 { return u }) })
	b.Run("u32", func(b *testing.B) {
		r := rand.New(rand.NewPCG(3, 3))
		x := make([]uint32, benchItems(b))
		for i := range x {
			x[i] = r.Uint32()
		}
		b.Run("median", func(b *testing.B) { besideNumPy(b, s, x) })
	})
	b.Run("f64", func(b *testing.B) { benchmarks(b, s, func(u uint64) float64 { return float64(int64(u)) }) })
}

type benchKey interface{ uint64 | float64 | uint32 }

// benchItems is GPUSORT_ITEMS, or 10^7.
func benchItems(b *testing.B) int { return itemsOr(b, "10000000") }

// turns times ours and its peer in turn; before each, reset prepares the input.
func turns(b *testing.B, name string, items int, reset, ours, peer func()) {
	b.Run(name, func(b *testing.B) {
		var t [2][]time.Duration
		for range b.N {
			for i, f := range []func(){ours, peer} {
				reset()
				start := spent()
				f()
				t[i] = append(t[i], spent()-start)
			}
		}
		reportTurns(b, items, t[0], t[1])
	})
}

// reportTurns reports the medians of ours and the peer's times.
func reportTurns(b *testing.B, items int, ours, peer []time.Duration) {
	slices.Sort(ours)
	slices.Sort(peer)
	m, p := ours[len(ours)/2], peer[len(peer)/2]
	b.ReportMetric(float64(m)/float64(items), "ours-ns/item")
	b.ReportMetric(float64(p)/float64(items), "peer-ns/item")
	b.ReportMetric(float64(p)/float64(m), "ratio")
	b.ReportMetric(0, "ns/op")
}

// partition times np.partition of uniform keys at the median, a line of input a round.
const partition = `
import sys, time, numpy as np
x = np.random.default_rng(1).integers(0, 2**62, %d).astype(%q)
for _ in sys.stdin:
    y = x.copy()
    start = time.process_time()
    y.partition(len(y) // 2)
    print(time.process_time() - start, flush=True)
`

// besideNumPy selects the median of x in turns with NumPy's partition.
func besideNumPy[T benchKey](b *testing.B, s *cpu.Sorter, x []T) {
	python := os.Getenv("GPUSORT_PYTHON")
	if python == "" {
		absent.Skip(b, "GPUSORT_PYTHON", "it names no Python with NumPy")
	}
	kind := map[any]string{uint64(0): "u8", float64(0): "f8", uint32(0): "u4"}[any(*new(T))]
	c := exec.Command(python, "-c", fmt.Sprintf(partition, len(x), kind))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	work, lines := make([]T, len(x)), bufio.NewReader(out)
	var ours, peer []time.Duration
	for range b.N {
		copy(work, x)
		start := spent()
		if _, err := cpu.SelectWith(b.Context(), s, work, len(x)/2); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, spent()-start)
		var seconds float64
		if _, err := fmt.Fprintln(in); err != nil {
			b.Fatal(err)
		}
		if _, err := fmt.Fscanln(lines, &seconds); err != nil {
			b.Fatal(err)
		}
		peer = append(peer, time.Duration(seconds*1e9))
	}
	_ = in.Close()
	if err := c.Wait(); err != nil {
		b.Fatal(err)
	}
	reportTurns(b, len(x), ours, peer)
}

func benchmarks[T benchKey](b *testing.B, s *cpu.Sorter, of func(uint64) T) {
	ctx := b.Context()
	n := benchItems(b)
	draw := func(n int, distinct uint64) []T {
		x, r := make([]T, n), rand.New(rand.NewPCG(1, distinct))
		for i := range x {
			x[i] = of(r.Uint64N(distinct) * (1<<63/distinct*2 + 1))
		}
		return x
	}
	nothing := func() {}
	random := draw(n, 1<<62)
	work := make([]T, n)
	fresh := func() { copy(work, random) }

	if !testing.Short() {
		b.Run("smallest", func(b *testing.B) {
			x := draw(10*n, 1<<62)
			var sum T
			turns(b, "100", 10*n, nothing, func() { _, _ = cpu.SmallestWith(ctx, s, x, 100) }, func() {
				var a, c, d, e T // as fast as memory is read
				for i := 0; i+4 <= len(x); i += 4 {
					a += x[i]
					c += x[i+1]
					d += x[i+2]
					e += x[i+3]
				}
				sum += a + c + d + e
			})
		})
	}
	b.Run("median", func(b *testing.B) { besideNumPy(b, s, random) })
	turns(b, "select", n, fresh, func() { _, _ = cpu.SelectWith(ctx, s, work, n/2) }, func() { _ = cpu.SortWith(ctx, s, work) })
	for _, d := range []uint64{1e3, 1e6, 1 << 62} {
		x := draw(n, d)
		name := fmt.Sprint("count/", d)
		turns(b, name+"/map", n, nothing, func() { _, _, _ = cpu.CountWith(ctx, s, x) }, func() {
			m := map[T]int{}
			for _, u := range x {
				m[u]++
			}
		})
		turns(b, name+"/sort", n, nothing, func() { _, _, _ = cpu.CountWith(ctx, s, x) }, func() {
			y := slices.Clone(x) // Count leaves x as it is, too
			_ = cpu.SortWith(ctx, s, y)
			_ = slices.Compact(y)
		})
		sorted := slices.Clone(x)
		cpu.Sort(sorted)
		turns(b, fmt.Sprint("unique/", d), n, func() { copy(work, sorted) }, func() { _, _ = cpu.UniqueWith(ctx, s, work) }, func() { _ = slices.Compact(work) })
	}
	r := rand.New(rand.NewPCG(2, 2))
	for _, c := range []struct {
		name  string
		count int
		next  func(i int) int
	}{
		{"5-50", n, func(int) int { return 5 + r.IntN(46) }},
		{"10000", n, func(int) int { return 10_000 }},
		{"skewed", n, func(i int) int {
			if i == 1000 {
				return n * 9 / 10
			}
			return 1
		}},
	} {
		offsets := []int{0}
		for at := 0; at < n; {
			at = min(n, at+c.next(len(offsets)))
			offsets = append(offsets, at)
		}
		turns(b, "segments/"+c.name, n, fresh, func() { _ = cpu.SortSegmentsWith(ctx, s, work, offsets) }, func() {
			for i := 1; i < len(offsets); i++ {
				slices.Sort(work[offsets[i-1]:offsets[i]])
			}
		})
	}
	for _, k := range []int{2, 16, 1000} {
		runs := make([][]T, k)
		for i := range runs {
			runs[i] = slices.Clone(random[n/k*i : n/k*(i+1)])
			cpu.Sort(runs[i])
		}
		dst := make([]T, n/k*k)
		turns(b, fmt.Sprint("merge/", k), n, nothing, func() { _ = cpu.MergeWith(ctx, s, dst, runs...) }, func() { heapMerge(dst, runs) })
		if k == 2 {
			turns(b, "merge/copy", n, nothing, func() { _ = cpu.MergeWith(ctx, s, dst, runs...) }, func() { copy(dst[copy(dst, runs[0]):], runs[1]) })
		}
	}
	sorted := slices.Clone(random)
	cpu.Sort(sorted)
	queries := draw(n, 1<<62-1)
	for _, order := range []string{"random", "sorted"} {
		if order == "sorted" {
			cpu.Sort(queries)
		}
		turns(b, "search/"+order, n, nothing, func() { _, _ = cpu.SearchWith(ctx, s, sorted, queries) }, func() {
			pos := make([]int, n) // Search makes its result, too
			for i, q := range queries {
				pos[i], _ = slices.BinarySearch(sorted, q)
			}
		})
	}
	turns(b, "union", 2*n, nothing, func() { _, _ = cpu.UnionWith(ctx, s, sorted, queries) }, func() { _ = unionLoop(sorted, queries) })
	turns(b, "sortfunc", n/10, fresh, func() { _ = cpu.SortFuncWith(ctx, s, work[:n/10], compareKeys[T]) }, func() { slices.SortStableFunc(work[:n/10], compareKeys[T]) })
}

func compareKeys[T benchKey](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// heapMerge is the merge by a heap of the runs' first keys.
func heapMerge[T benchKey](dst []T, runs [][]T) {
	h := slices.Clone(runs)
	sift := func(i int) {
		for {
			c := 2*i + 1
			if c >= len(h) {
				return
			}
			if c+1 < len(h) && h[c+1][0] < h[c][0] {
				c++
			}
			if h[i][0] <= h[c][0] {
				return
			}
			h[i], h[c] = h[c], h[i]
			i = c
		}
	}
	for i := len(h)/2 - 1; i >= 0; i-- {
		sift(i)
	}
	for i := range dst {
		dst[i] = h[0][0]
		if h[0] = h[0][1:]; len(h[0]) == 0 {
			h[0] = h[len(h)-1]
			h = h[:len(h)-1]
		}
		sift(0)
	}
}

func unionLoop[T benchKey](a, b []T) []T {
	var out []T
	for len(a) > 0 && len(b) > 0 {
		u := a[0]
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case b[0] < a[0]:
			u, b = b[0], b[1:]
		default:
			a, b = a[1:], b[1:]
		}
		out = append(out, u)
	}
	return append(append(out, a...), b...)
}
