package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// part is elements [lo, hi) of a slice, whose words agree from bit top on.
type part struct {
	lo, hi int
	top    uint
}

// longLeafBytes is the longest part that is sorted as a leaf by vector instructions
// though it and its other copy leave the level-2 cache: another split past the caches
// takes a quarter longer (measured with 1, 2, 4 and 8 MiB: docs/rfcs/0003). A variable,
// for tests.
var longLeafBytes = 4 << 20

// sortParts sorts and emits the parts of a, which begins at place `at`, by so many
// workers: first those that would keep one worker busy longer than the others with all
// the rest, each by all workers, then the others, each by one. alt is as for
// splitRange. If the sort is cancelled, all is emitted, in order or not.
func (j *job[E]) sortParts(a, alt []E, at int, parts []part, workers int) {
	leafMax := leafBytes / int(unsafe.Sizeof(a[0]))
	if simd.Available() {
		leafMax = longLeafBytes / int(unsafe.Sizeof(a[0]))
	}
	own := parts[:0]
	for _, p := range parts {
		if n := p.hi - p.lo; workers == 1 || n <= leafMax || n <= len(a)/(2*workers) || p.top <= j.low {
			own = append(own, p)
			continue
		}
		if alt == nil {
			s := getScratch[E](len(a))
			defer s.put()
			alt = s.s
		}
		j.splitAgain(a[p.lo:p.hi], alt[p.lo:p.hi], at+p.lo, p.top, workers)
	}
	finish := func(i int) {
		p := own[i]
		j.finish(a[p.lo:p.hi], at+p.lo, 1)
	}
	j.eachOrFinish(workers, len(own), func(i int) {
		p := own[i]
		n := p.hi - p.lo
		if n > leafMax && p.top <= j.low {
			finish(i) // no bit left to sort by
			return
		}
		if n > leafMax && alt != nil {
			j.splitAgain(a[p.lo:p.hi], alt[p.lo:p.hi], at+p.lo, p.top, 1)
			return
		}
		// The same memory for one leaf after the other stays in cache.
		b := getScratch[E](max(n, leafBytes/int(unsafe.Sizeof(a[0]))))
		if n > leafMax {
			j.splitAgain(a[p.lo:p.hi], b.s[:n], at+p.lo, p.top, 1)
		} else {
			leaf(a[p.lo:p.hi], b.s[:n], j.low, p.top, at+p.lo, j.emit)
		}
		b.put()
	}, finish)
}

// splitAgain sorts and emits a, which is too long for a leaf; b is scratch of the same
// length.
func (j *job[E]) splitAgain(a, b []E, at int, top uint, workers int) {
	if simd.Available() {
		j.splitRange(a, b, a, at, top, workers)
	} else {
		j.splitChunks(a, b, a, at, top, workers)
	}
}
