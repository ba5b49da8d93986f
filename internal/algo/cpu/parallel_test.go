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

// TestParallel makes parallel partitions of all kinds of lengths, by one to five
// workers, with pivots from the least to the largest word, of encoded words and
// of floats that are encoded on the way.
func TestParallel(t *testing.T) {
	for l := simd.AVX2; l <= simd.AVX512; l++ {
		t.Run(l.String(), func(t *testing.T) {
			if l > simd.Best() {
				absent.Skip(t, l.String(), "this processor or build does without")
			}
			defer simd.Force(l)()
			t.Run("u32", testJoint[uint32])
			t.Run("u64", testJoint[uint64])
		})
	}
}

func testJoint[U wide](t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	top := uint(8 * unsafe.Sizeof(U(0)))
	trials := 40
	if testing.Short() { // the race detector, which it is for, takes ten times as long
		trials = 12
	}
	for trial := range trials {
		n := []int{1 + r.IntN(300), forkItems + r.IntN(200), 2*stretchBytes/int(top/8) - 1 + r.IntN(3), 100_000 + r.IntN(200_000)}[trial%4]
		workers, watched := 1+r.IntN(5), r.IntN(2) == 0
		if trial == 0 && !testing.Short() { // one worker that looks at the context
			n, workers, watched = partitionBytes/int(top/8)+1, 1, true
		}
		x, zones := guarded[U](n)
		range1 := U(r.Uint64()) >> []uint{0, 0, top - 2}[r.IntN(3)]
		for i := range x {
			x[i] = U(r.Uint64()) & range1
		}
		c := []key.Codec{key.CodecUnsigned, key.CodecFloatNaNLast}[r.IntN(2)]
		from, codec := codedAs{raw: r.IntN(2) == 0}, looseCodec[U](c)
		from.keep = from.raw && r.IntN(2) == 0
		want := slices.Clone(x)
		if from.raw {
			codec.Encode(want)
		}
		slices.Sort(want)
		pivot := []U{0, want[0], want[n/2], want[n/5], want[n-1], ^U(0)}[r.IntN(6)]
		name := fmt.Sprintf("trial %d: %d words, %d workers, pivot %x, codec %d, %+v", trial, n, workers, pivot, c, from)
		o := Options{Workers: workers}
		if watched {
			o.Ctx = t.Context()
		}
		run := newRun(o)
		j := vectorJob[U]{run: run, x: x, codec: codec}
		m, ok := j.partition(x, pivot, from, workers)
		if err := run.end(); !ok || err != nil {
			t.Fatalf("%s: not done, %v", name, err)
		}
		zones(t)
		if from.keep {
			codec.Encode(x)
		}
		for i, u := range x {
			if (u < pivot) != (i < m) {
				t.Fatalf("%s: word %d is %x, below are %d", name, i, u, m)
			}
		}
		slices.Sort(x)
		if !slices.Equal(x, want) {
			t.Fatalf("%s: words were lost", name)
		}
	}
}

// TestParallelPairs counts the words that a parallel partition by the median leaves to
// be swapped through memory: half of all if stretches did not go in pairs.
func TestParallelPairs(t *testing.T) {
	if !simd.Available() {
		absent.Skip(t, "vectors", "this processor or build has no vector instructions")
	}
	const n = 3_000_000
	r := rand.New(rand.NewPCG(53, 54))
	x := make([]uint32, n)
	for i := range x {
		x[i] = r.Uint32()
	}
	run := newRun(Options{Workers: 2})
	j := vectorJob[uint32]{run: run, x: x}
	p := j.newParallel(x, 2)
	pivot := j.pivot(segment[uint32]{hi: n}, parallelDraw)
	j.stretches(p, 2, func(lo, hi int) int {
		return simd.Partition(x[lo:hi], pivot, new(simd.Scratch[uint32]), simd.Codec[uint32]{}, false)
	})
	_, high, low := p.misplaced()
	count := func(s [][]uint32) (sum int) {
		for _, x := range s {
			sum += len(x)
		}
		return sum
	}
	if h, l := count(high), count(low); h != l || h > n/16 {
		t.Errorf("of %d words %d and %d are on the wrong side, in %d stretches", n, h, l, len(p.split))
	}
}

// TestPauses: nothing stops a goroutine while it partitions, so that a collection of garbage
// pauses all others for that long. A segment that is too long for one step is partitioned in
// stretches whether or not the sort can be cancelled, and divided before it is sorted.
// BenchmarkPause measures the pauses.
func TestPauses(t *testing.T) {
	if partitionBytes > 16<<20 {
		t.Errorf("%d bytes are partitioned in one go: more than 16 MiB take over 5 ms", partitionBytes)
	}
	defer func(n int) { partitionBytes = n }(partitionBytes)
	partitionBytes = 1 << 20
	x := make([]uint64, 1<<19)
	for _, o := range []Options{{Workers: 1}, {Workers: 3}, {Workers: 1, look: func() bool { return false }}} {
		j := vectorJob[uint64]{run: newRun(o), x: x}
		if most := stretchBytes / 8; j.single() || len(j.newParallel(x, 1).split) < len(x)/(2*most) {
			t.Errorf("%d words in %d stretches", len(x), len(j.newParallel(x, 1).split))
		}
		if j.grain() > partitionBytes/8 {
			t.Errorf("segments of %d words are sorted without being divided", j.grain())
		}
		for i := range j.newParallel(x, 1).split {
			if lo, hi := j.newParallel(x, 1).stretch(i); hi-lo > partitionBytes/8 {
				t.Errorf("stretch %d has %d words", i, hi-lo)
			}
		}
		if short := x[:partitionBytes/8]; len(j.newParallel(short, 1).split) != 1 {
			t.Error("a short segment is partitioned in stretches")
		}
	}
}
