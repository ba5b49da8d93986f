package cpu

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

const (
	// soloDraw is how many words a worker draws to divide a segment: one network.
	soloDraw = 127
	// parallelDraw is that of a parallel partition, of which each misplaced word is
	// swapped with another: 1.6 % of the words, by standard deviation, not 4.4.
	parallelDraw = 1023
)

// parallelBytes is how many bytes of a segment there must be for each worker if they are
// to partition it together. That takes two rounds of waking one another, some 50 µs
// each, in which one worker partitions 2 MiB and others begin on what it puts aside: of
// 1, 4 and 16 MiB in all, the last is the best for 16 workers (docs/rfcs/0003). A
// variable, for tests.
var parallelBytes = 1 << 20

// shareBytes is the least part of such a segment that is worth another worker.
const shareBytes = 512 << 10

// share partitions segments, all workers together, until there is one for each or the
// longest is too short for that.
func (j *vectorJob[U]) share(segments []segment[U]) []segment[U] {
	// Bounded, since a partition may divide badly.
	for range 2 * j.workers {
		at := 0
		for i, g := range segments {
			if !g.equal && (segments[at].equal || g.len() > segments[at].len()) {
				at = i
			}
		}
		g := segments[at]
		size := g.len() * int(unsafe.Sizeof(j.x[0]))
		if len(segments) >= j.workers || g.equal || size < j.workers*parallelBytes || j.cancelled() {
			break
		}
		low, high, ok := j.divide(g, min(j.workers, max(2, size/shareBytes)))
		if !ok {
			break
		}
		segments[at] = low
		if high.len() > 0 {
			segments = append(segments, high)
		}
	}
	return segments
}

// divide partitions g, so many workers together; high may be empty, low is not.
// It returns false if the sort is cancelled; g is then as it was, but for the order.
func (j *vectorJob[U]) divide(g segment[U], workers int) (low, high segment[U], ok bool) {
	if g.min == g.max {
		g.equal = true
		return g, segment[U]{lo: g.hi, hi: g.hi}, true
	}
	draw := soloDraw
	if workers > 1 {
		draw = parallelDraw
	}
	p := j.pivot(g, draw)
	if g.lopsided > lopsidedMax {
		// The middle of the values: as many more partitions as a word has bits.
		p = g.min + (g.max-g.min)/2 + 1
	}
	equal := p == g.min
	if equal {
		if p++; p == 0 {
			g.equal = true
			return g, segment[U]{lo: g.hi, hi: g.hi}, true
		}
	}
	from := codedAs{raw: g.raw, keep: g.raw && j.look != nil && g.len() > encodeBytes/int(unsafe.Sizeof(p))}
	m, ok := j.partition(j.x[g.lo:g.hi], p, from, workers)
	if !ok {
		return g, segment[U]{}, false
	}
	if min(m, g.len()-m) < g.len()/32 {
		g.lopsided++
	}
	g.raw = from.keep
	low, high = g, g
	low.hi, low.max, low.equal = g.lo+m, p-1, equal
	high.lo, high.min = g.lo+m, p
	if m == 0 {
		return high, segment[U]{lo: g.hi, hi: g.hi}, true
	}
	return low, high, true
}

// pivot returns the median encoded key of so many words, at most parallelDraw.
func (j *vectorJob[U]) pivot(g segment[U], draw int) U {
	var room [parallelDraw]U
	d := room[:draw]
	// Without a division for each word, the processor has more of them on the way
	// at a time.
	seed := rand.Uint64()
	x, step := j.x[g.lo:g.hi], uint(g.len())/uint(draw)
	at := uint(0)
	for i := range d {
		seed = seed*0xd1342543de82ef95 + 0x9e3779b97f4a7c15
		off, _ := bits.Mul(uint(seed), step)
		d[i] = x[at+off]
		at += step
	}
	if g.raw {
		j.codec.Encode(d)
	}
	if !simd.Tiny(d) {
		slices.Sort(d)
	}
	return d[len(d)/2]
}
