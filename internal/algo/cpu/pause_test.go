package cpu

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
)

// BenchmarkPause sorts $GPUSORT_PAUSE_ITEMS keys, 10^7 by default, while another
// goroutine collects garbage all the time, and reports the longest time for which that
// stopped the world, and the longest that it took to stop it: in an assembly loop a
// goroutine cannot be stopped.
func BenchmarkPause(b *testing.B) {
	n := 10_000_000
	if v, err := strconv.ParseFloat(os.Getenv("GPUSORT_PAUSE_ITEMS"), 64); err == nil {
		n = int(v)
	}
	for l := simd.Plain; l <= simd.Best(); l++ {
		b.Run(l.String(), func(b *testing.B) {
			defer simd.Force(l)()
			b.Run("u8", func(b *testing.B) { pauseOf[uint8](b, n) })
			b.Run("u16", func(b *testing.B) { pauseOf[uint16](b, n) })
			b.Run("u32", func(b *testing.B) { pauseOf[uint32](b, n) })
			b.Run("u64", func(b *testing.B) { pauseOf[uint64](b, n) })
		})
	}
}

func pauseOf[U key.Word](b *testing.B, n int) {
	in := make([]U, n)
	for i := range in {
		in[i] = U(rand.Uint64())
	}
	x, idx := make([]U, n), make([]uint32, n)
	for _, op := range []struct {
		name string
		sort func()
	}{
		{"keys", func() { _ = Keys(x, 0, Options{}) }},
		{"pairs", func() { _ = Pairs(x, idx, 0, Options{}) }},
		{"argsort", func() { _ = Argsort(x, idx, 0, Options{}) }},
	} {
		b.Run(fmt.Sprintf("%s/n=%d", op.name, n), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				copy(x, in)
				b.StartTimer()
				total, stopping := pauses(op.sort)
				b.ReportMetric(total.Seconds()*1e3, "pause-ms")
				b.ReportMetric(stopping.Seconds()*1e3, "stopping-ms")
			}
		})
	}
}

// pauses returns the longest pauses of garbage collections while f runs.
func pauses(f func()) (total, stopping time.Duration) {
	s := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}, {Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(s)
	before := [2][]uint64{}
	for i := range s {
		before[i] = append(before[i], s[i].Value.Float64Histogram().Counts...)
	}
	end, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			default:
				runtime.GC()
			}
		}
	}()
	f()
	close(end)
	<-ended
	metrics.Read(s)
	longest := [2]time.Duration{}
	for i := range s {
		h := s[i].Value.Float64Histogram()
		for k, c := range h.Counts {
			if c > before[i][k] {
				longest[i] = time.Duration(h.Buckets[k] * 1e9) // of the bucket, the least
			}
		}
	}
	return longest[0], longest[1]
}

// BenchmarkStretch partitions the longest segment that is partitioned in one go.
func BenchmarkStretch(b *testing.B) {
	if !simd.Available() {
		absent.Skip(b, "vectors", "this processor or build has no vector instructions")
	}
	x := make([]uint64, partitionBytes/8)
	s := new(simd.Scratch[uint64])
	for range b.N {
		b.StopTimer()
		for i := range x {
			x[i] = rand.Uint64()
		}
		b.StartTimer()
		simd.Partition(x, 1<<63, s, simd.Codec[uint64]{}, false)
	}
}
