package cpu_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gpusort/gpusort/cpu"
)

// BenchmarkCancel ends the context of each operation on GPUSORT_ITEMS items, or 10^7, by two workers, at moments all
// over its run. It reports the longest time until the operation has returned, and the
// most processor time of all workers in it.
func BenchmarkCancel(b *testing.B) {
	n := benchItems(b)
	s, err := cpu.New(cpu.WithWorkers(2))
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	x, few, idx, offsets := make([]uint64, n), make([]uint64, n), make([]uint32, n), []int{0}
	for i := range x {
		x[i], few[i], idx[i] = r.Uint64(), r.Uint64N(1000), uint32(i)
	}
	r.Shuffle(n, func(i, j int) { idx[i], idx[j] = idx[j], idx[i] })
	for at := 0; at < n; {
		at = min(n, at+5+r.IntN(46))
		offsets = append(offsets, at)
	}
	sorted := slices.Clone(x)
	cpu.Sort(sorted)
	work, dst, places := make([]uint64, n), make([]uint64, n), make([]int, n)
	rows, lines := rowsOf(n)
	text := make([]string, n)
	for i := range lines {
		text[i] = lines[i].s
	}
	moved, movedLines, movedText := slices.Clone(rows), slices.Clone(lines), slices.Clone(text)
	latency(b, "Smallest 100", nil, func(ctx context.Context) error { _, err := cpu.SmallestWith(ctx, s, x, 100); return err })
	latency(b, "Smallest half", nil, func(ctx context.Context) error { _, err := cpu.SmallestWith(ctx, s, x, n/2); return err })
	latency(b, "ArgLargest", nil, func(ctx context.Context) error { _, err := cpu.ArgLargestWith(ctx, s, x, n/100); return err })
	latency(b, "Select", func() { copy(work, x) }, func(ctx context.Context) error { _, err := cpu.SelectWith(ctx, s, work, n/2); return err })
	latency(b, "Count", nil, func(ctx context.Context) error { _, _, err := cpu.CountWith(ctx, s, x); return err })
	latency(b, "Count few", nil, func(ctx context.Context) error { _, _, err := cpu.CountWith(ctx, s, few); return err })
	latency(b, "Groups", nil, func(ctx context.Context) error { _, err := cpu.GroupsWith(ctx, s, sorted); return err })
	latency(b, "Unique", func() { copy(work, sorted) }, func(ctx context.Context) error { _, err := cpu.UniqueWith(ctx, s, work); return err })
	latency(b, "SortSegments", func() { copy(work, x) }, func(ctx context.Context) error { return cpu.SortSegmentsWith(ctx, s, work, offsets) })
	latency(b, "ArgsortSegments", nil, func(ctx context.Context) error { return cpu.ArgsortSegmentsWith(ctx, s, places, x, offsets) })
	latency(b, "SortRows", func() { copy(work, x) }, func(ctx context.Context) error { return cpu.SortRowsWith(ctx, s, work, 1000) })
	latency(b, "SortFunc", func() { copy(work, x) }, func(ctx context.Context) error { return cpu.SortFuncWith(ctx, s, work, compareKeys[uint64]) })
	latency(b, "Merge 2", nil, func(ctx context.Context) error { return cpu.MergeWith(ctx, s, dst, sorted[:n/2], sorted[n/2:]) })
	latency(b, "Merge 1000", nil, func(ctx context.Context) error {
		var runs [][]uint64
		for run := range slices.Chunk(sorted, n/1000) {
			runs = append(runs, run)
		}
		return cpu.MergeWith(ctx, s, dst, runs...)
	})
	latency(b, "Search", nil, func(ctx context.Context) error { _, err := cpu.SearchWith(ctx, s, sorted, x); return err })
	latency(b, "Union", nil, func(ctx context.Context) error { _, err := cpu.UnionWith(ctx, s, sorted, sorted[n/2:]); return err })
	latency(b, "Gather", nil, func(ctx context.Context) error { return cpu.GatherWith(ctx, s, dst, x, idx) })
	latency(b, "Permute", func() { copy(work, x) }, func(ctx context.Context) error { return cpu.PermuteWith(ctx, s, work, idx) })
	latency(b, "SortBy number", func() { copy(moved, rows) }, func(ctx context.Context) error { return cpu.SortByWith(ctx, s, moved, byU()) })
	latency(b, "SortBy text", func() { copy(movedLines, lines) }, func(ctx context.Context) error { return cpu.SortByWith(ctx, s, movedLines, byS()) })
	latency(b, "SortBy two", func() { copy(movedLines, lines) }, func(ctx context.Context) error {
		return cpu.SortByWith(ctx, s, movedLines, byS(), cpu.By(func(p *named) uint64 { return p.u }).Desc())
	})
	latency(b, "SortStrings", func() { copy(movedText, text) }, func(ctx context.Context) error { return cpu.SortStringsWith(ctx, s, movedText) })
	latency(b, "ArgsortStrings", nil, func(ctx context.Context) error { return cpu.ArgsortStringsWith(ctx, s, places, text) })
}

// latency runs do whole, then cancels it at some moments, prepare being called before each.
func latency(b *testing.B, name string, prepare func(), do func(ctx context.Context) error) {
	const moments = 8
	b.Run(name, func(b *testing.B) {
		if prepare == nil {
			prepare = func() {}
		}
		prepare()
		start := time.Now()
		if err := do(b.Context()); err != nil {
			b.Fatal(err)
		}
		whole := time.Since(start)
		var longest, most time.Duration
		for range b.N {
			for i := range moments {
				prepare()
				ctx, cancel := context.WithCancel(b.Context())
				var at time.Time
				var from time.Duration
				timer := time.AfterFunc(whole*time.Duration(2*i+1)/(2*moments), func() { at, from = time.Now(), spent(); cancel() })
				err := do(ctx)
				end, to := time.Now(), spent()
				timer.Stop()
				if errors.Is(err, context.Canceled) {
					longest, most = max(longest, end.Sub(at)), max(most, to-from)
				}
				cancel()
			}
		}
		b.ReportMetric(float64(whole.Milliseconds()), "whole-ms")
		b.ReportMetric(float64(longest.Microseconds())/1000, "longest-ms")
		b.ReportMetric(float64(most.Microseconds())/1000, "cpu-ms")
		b.ReportMetric(0, "ns/op")
	})
}
