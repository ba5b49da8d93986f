package cpu

import (
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// parallelPartition is a partition of x that several workers make together, a stretch at a
// time. Stretches go in pairs, one of the lower half of x and one of the upper:
// what is not below the pivot in the one changes places with what is below it in
// the other while both are in a worker's level-2 cache. So the lower stretch ends
// up with words below only and the upper with others, but for what the pivot is
// off the median, and that alone is swapped through memory at the end.
type parallelPartition[U wide] struct {
	x []U
	// split is where each stretch is divided: the words before are below the
	// pivot. −1: it is not partitioned yet. There is one stretch, or they are even
	// in number.
	split []int
}

const (
	// stretchBytes is the length of a stretch: a pair, and the lines that come in
	// next, fit a level-2 cache of 1 MiB.
	stretchBytes = 256 << 10
	// stretchMin is the least number of words that are worth a stretch.
	stretchMin = forkItems / 4
	// lineBytes is what stretches begin at a multiple of, counted from the first.
	lineBytes = 64
)

// newParallel divides x among so many workers; one gets all of it, if that is not too
// long for one step of a sort.
func (j *vectorJob[U]) newParallel(x []U, workers int) *parallelPartition[U] {
	n, parts := len(x), 1
	if workers > 1 || j.long(n) {
		// Four pairs for each, since one may be held up by other work.
		words := min(stretchBytes/int(unsafe.Sizeof(U(0))), n/(8*workers))
		parts = max(2, n/max(words, stretchMin)&^1)
	}
	p := &parallelPartition[U]{x: x, split: make([]int, parts)}
	for i := range p.split {
		p.split[i] = -1
	}
	return p
}

// stretch returns where the i-th stretch begins and ends.
func (p *parallelPartition[U]) stretch(i int) (lo, hi int) {
	line := lineBytes / int(unsafe.Sizeof(U(0)))
	lo, hi = chunk(len(p.x)/line, len(p.split), i)
	if i == len(p.split)-1 {
		return lo * line, len(p.x)
	}
	return lo * line, hi * line
}

// stretches calls divide for every stretch, by so many workers, which returns how
// many of its words are below the pivot, after it has brought them to the front.
// It returns false if the sort is cancelled: some are then not done.
func (j *vectorJob[U]) stretches(p *parallelPartition[U], workers int, divide func(lo, hi int) (below int)) (ok bool) {
	parts := len(p.split)
	j.eachOf(workers, (parts+1)/2, func(_, i int) {
		if j.cancelled() {
			return
		}
		for _, k := range []int{i, parts - 1 - i}[:min(2, parts)] {
			lo, hi := p.stretch(k)
			p.split[k] = lo + divide(lo, hi)
		}
		p.swapPair(i, parts-1-i)
	})
	return !slices.Contains(p.split, -1)
}

// swapPair changes words of stretch a that are not below for words of stretch b
// that are, as many as there are of both: the first of the ones for the last of
// the others, so that both stretches are divided as before at another place.
func (p *parallelPartition[U]) swapPair(a, b int) {
	if a == b {
		return
	}
	_, end := p.stretch(a)
	begin, _ := p.stretch(b)
	n := min(end-p.split[a], p.split[b]-begin)
	simd.Swap(p.x[p.split[a]:p.split[a]+n], p.x[p.split[b]-n:p.split[b]])
	p.split[a] += n
	p.split[b] -= n
}

// codedAs says whether words are raw, not encoded yet, and if so whether a partition
// is to keep them so.
type codedAs struct{ raw, keep bool }

// partition partitions x by pivot, so many workers together. If it is cancelled it
// returns false, and x is as it was, in another order.
//
// Words that are kept raw are decoded stretch by stretch, in the level-2 cache: that
// is a few per cent of a pass over memory.
func (j *vectorJob[U]) partition(x []U, pivot U, from codedAs, workers int) (below int, ok bool) {
	p := j.newParallel(x, workers)
	if j.stretches(p, workers, func(lo, hi int) int {
		s := getScratch[simd.Scratch[U]](1)
		defer s.put()
		m := simd.Partition(x[lo:hi], pivot, &s.s[0], j.codec, from.raw)
		if from.keep {
			j.codec.Decode(x[lo:hi])
		}
		return m
	}) {
		return j.join(p, workers), true
	}
	if from.raw && !from.keep {
		j.eachOf(workers, len(p.split), func(_, i int) {
			if lo, hi := p.stretch(i); p.split[i] >= 0 {
				j.codec.Decode(x[lo:hi])
			}
		})
	}
	return 0, false
}

// join makes one partition of those of stretches and returns how many words are
// below. If it is cancelled, the partition is not finished: nothing that follows a
// cancelled step depends on it.
func (j *vectorJob[U]) join(p *parallelPartition[U], workers int) (below int) {
	below, high, low := p.misplaced()
	j.exchange(high, low, workers)
	return below
}

// misplaced returns how many words are below the pivot, the words that are not
// though they lie in front of so many, and those that are though they lie behind.
func (p *parallelPartition[U]) misplaced() (below int, high, low [][]U) {
	for i, m := range p.split {
		lo, _ := p.stretch(i)
		below += m - lo
	}
	for i, m := range p.split {
		lo, hi := p.stretch(i)
		if end := min(hi, below); m < end {
			high = append(high, p.x[m:end])
		}
		if start := max(lo, below); start < m {
			low = append(low, p.x[start:m])
		}
	}
	return below, high, low
}

// exchange swaps the words of high with those of low, which are as many.
func (j *vectorJob[U]) exchange(high, low [][]U, workers int) {
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
	j.eachOf(workers, len(swaps), func(_, i int) {
		if j.cancelled() {
			return
		}
		simd.Swap(swaps[i].a, swaps[i].b)
	})
}
