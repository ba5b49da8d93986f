package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestScratch counts the bytes that sorts allocate when the pools are empty:
// keys take none with vector instructions and n keys without, pairs one element
// a pair where no bucket is too long for a leaf, argsort one word a key; and a
// worker a MiB more.
func TestScratch(t *testing.T) {
	if testing.Short() {
		absent.Skip(t, "a run without -short", "the race detector, which it is for, allocates")
	}
	const n, workers, perWorker = 1 << 20, 2, 1<<20 + 1<<17
	r := rand.New(rand.NewPCG(13, 14))
	in := make([]uint64, n)
	for i := range in {
		in[i] = r.Uint64()
	}
	x, v := make([]uint64, n), make([]uint64, n)
	o := Options{Workers: workers}
	for l := simd.Plain; l <= simd.Best(); l++ {
		for _, op := range []struct {
			name  string
			bytes int // per key
			sort  func()
		}{
			{"keys", map[bool]int{true: 8, false: 0}[l == simd.Plain], func() { _ = Keys(x, 0, o) }},
			{"capped keys", 0, func() { _ = Keys(x, 0, Options{Workers: workers, MemoryCap: 1}) }},
			{"pairs", 32, func() { _ = Pairs(x, v, 0, o) }},
			{"argsort", 32, func() { _ = Argsort(x, v, 0, o) }},
			{"capped pairs", leastCap / n * 5 / 4, func() { _ = Pairs(x, v, 0, Options{Workers: workers, MemoryCap: 1}) }},
			{"capped argsort", leastCap / n * 5 / 4, func() { _ = Argsort(x, v, 0, Options{Workers: workers, MemoryCap: 1}) }},
		} {
			t.Run(fmt.Sprint(l, "/", op.name), func(t *testing.T) {
				defer simd.Force(l)()
				// A worker that the scheduler moves finds another processor's pool,
				// empty: the least of some sorts is what the sort itself takes.
				got := uint64(math.MaxUint64)
				for range 5 {
					copy(x, in)
					runtime.GC()
					runtime.GC() // a pool keeps its contents for one collection
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					op.sort()
					runtime.ReadMemStats(&after)
					got = min(got, after.TotalAlloc-before.TotalAlloc)
				}
				if limit := uint64(op.bytes*n + workers*perWorker); got > limit {
					t.Errorf("allocated %d bytes, more than %d", got, limit)
				}
			})
		}
	}
}

// TestDirty: blocks of every way to make them can be written whole, keep what is
// written across a collection, and begin where 16-byte vectors do.
func TestDirty(t *testing.T) {
	for _, units := range []uint64{1, 64, dirtyUnits - 1, dirtyUnits, dirtyUnits + 1, 1 << 18} {
		b := dirty(units)
		for i := range b {
			b[i] = [2]uint64{uint64(i), ^uint64(i)}
		}
		runtime.GC()
		for i := range b {
			if b[i] != [2]uint64{uint64(i), ^uint64(i)} {
				t.Fatalf("%d units: unit %d lost", units, i)
			}
		}
		if uint64(len(b)) != units || units > 1 && uintptr(unsafe.Pointer(&b[0]))%16 != 0 {
			t.Errorf("%d units: %d at %p", units, len(b), b)
		}
	}
}
