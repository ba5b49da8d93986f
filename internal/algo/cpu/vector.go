package cpu

import (
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// vectorJob is an in-place sort of words by vector quicksort.
//
// With one worker it is one quicksort. With more, all workers together
// partition the longest segment until there are enough segments to share out:
// each partitions a stretch of its own, and then the words that lie on the
// wrong side of the joint boundary are swapped. Since the segments end where
// the data says and free workers take the next, no input leaves one worker
// with most of the work, but for words that are all equal, which are no work.
type vectorJob[U wide] struct {
	*run
	x     []U
	codec simd.Codec[U]
	raw   bool // x is not encoded yet
	// then gets the sorted parts of x, decoded; it may be nil.
	then func(part []U, at int)
}

const (
	// forkItems is the least number of words worth a second worker.
	forkItems = 1 << 16
	// stretchItems bounds the time between two looks at the context.
	stretchItems = 1 << 21
)

func (j *vectorJob[U]) sort() {
	n := len(j.x)
	if n < forkItems || j.workers == 1 && (j.unwatch == nil || n <= stretchItems) {
		j.segment(segment[U]{0, n, 0, false}, j.raw)
		return
	}
	segments, encoded := j.share()
	if !encoded {
		return
	}
	j.each(len(segments), func(_, i int) { j.segment(segments[i], false) })
}

// segment is a range of x whose images are at least min; done if they are all
// equal to it.
type segment[U wide] struct {
	lo, hi int
	min    U
	done   bool
}

func (j *vectorJob[U]) segment(g segment[U], raw bool) {
	s := getScratch[simd.Scratch[U]](1)
	defer s.put()
	v := getJob[U]()
	defer putJob(v)
	*v = simd.Job[U]{Scratch: &s.s[0], Codec: j.codec, Raw: raw, Stop: &j.stop}
	if j.then != nil {
		base := uintptr(unsafe.Pointer(unsafe.SliceData(j.x)))
		v.Then = func(part []U) {
			at := uintptr(unsafe.Pointer(unsafe.SliceData(part))) - base
			j.then(part, int(at/unsafe.Sizeof(part[0])))
		}
	}
	v.Sort(j.x[g.lo:g.hi], g.min)
}

// share partitions x into segments for all workers. If the sort is cancelled
// while x is being encoded, it restores the patterns and returns false.
func (j *vectorJob[U]) share() ([]segment[U], bool) {
	n := len(j.x)
	want := max(n/(8*j.workers), forkItems/4)
	todo := []segment[U]{{0, n, 0, false}}
	var ready []segment[U]
	raw := j.raw
	for round := uint64(1); len(todo) > 0; round++ {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !raw && (g.hi-g.lo <= want || j.cancelled() || g.done) {
			ready = append(ready, g)
			continue
		}
		p := j.pivot(g, raw, round)
		equal := p == g.min && !raw
		if equal {
			if p++; p == 0 {
				ready = append(ready, g)
				continue
			}
		}
		m, ok := j.partition(j.x[g.lo:g.hi], p, raw)
		if !ok {
			if raw {
				return nil, false
			}
			ready = append(ready, g)
			continue
		}
		raw = false
		if m > 0 {
			todo = append(todo, segment[U]{g.lo, g.lo + m, g.min, equal})
		}
		if g.lo+m < g.hi {
			todo = append(todo, segment[U]{g.lo + m, g.hi, p, false})
		}
	}
	return ready, true
}

// pivot returns the median image of a sample.
func (j *vectorJob[U]) pivot(g segment[U], raw bool, round uint64) U {
	var d [127]U
	seed := round
	for i := range d {
		lo, hi := chunk(g.hi-g.lo, len(d), i)
		seed = seed*0xd1342543de82ef95 + 0x9e3779b97f4a7c15
		d[i] = j.x[g.lo+lo+int((seed>>33)%uint64(hi-lo))]
	}
	if raw {
		j.codec.Encode(d[:])
	}
	insertion(d[:], 0)
	return d[len(d)/2]
}

// partition partitions x by pivot, all workers together. If it is cancelled it
// returns false, and x is as it was, in another order.
func (j *vectorJob[U]) partition(x []U, pivot U, raw bool) (below int, ok bool) {
	n := len(x)
	parts := max(1, min(j.workers, n/forkItems*2), n/stretchItems)
	split := make([]int, parts) // where each stretch is divided; −1: not done
	j.each(parts, func(_, i int) {
		split[i] = -1
		if j.cancelled() {
			return
		}
		s := getScratch[simd.Scratch[U]](1)
		defer s.put()
		lo, hi := chunk(n, parts, i)
		split[i] = lo + simd.Partition(x[lo:hi], pivot, &s.s[0], j.codec, raw)
	})
	for i, m := range split {
		lo, _ := chunk(n, parts, i)
		below += m - lo
	}
	if slices.Contains(split, -1) {
		if raw {
			for i, m := range split {
				if lo, hi := chunk(n, parts, i); m >= 0 {
					j.codec.Decode(x[lo:hi])
				}
			}
		}
		return 0, false
	}
	j.exchange(x, below, split)
	return below, true
}

// exchange swaps the words that partitions of stretches left on the wrong side
// of below.
func (j *vectorJob[U]) exchange(x []U, below int, split []int) {
	var high, low [][]U // in front of the boundary but not below; and the reverse
	for i, m := range split {
		lo, hi := chunk(len(x), len(split), i)
		if end := min(hi, below); m < end {
			high = append(high, x[m:end])
		}
		if start := max(lo, below); start < m {
			low = append(low, x[start:m])
		}
	}
	type swap struct{ a, b []U }
	var swaps []swap
	for len(high) > 0 && len(low) > 0 {
		n := min(len(high[0]), len(low[0]), 1<<15)
		swaps = append(swaps, swap{high[0][:n], low[0][:n]})
		if high[0] = high[0][n:]; len(high[0]) == 0 {
			high = high[1:]
		}
		if low[0] = low[0][n:]; len(low[0]) == 0 {
			low = low[1:]
		}
	}
	j.each(len(swaps), func(_, i int) {
		a, b := swaps[i].a, swaps[i].b
		var t [1024]U
		for len(a) > 0 {
			k := copy(t[:], a)
			copy(a, b[:k])
			copy(b, t[:k])
			a, b = a[k:], b[k:]
		}
	})
}
