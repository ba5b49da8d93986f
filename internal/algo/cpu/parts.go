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

// sortParts sorts and emits the parts of a, which begins at place `at`: first those
// too long for a leaf, each by all workers, then the leaves, each by one. alt is as
// for splitRange. If the sort is cancelled, all is emitted, in order or not.
func (j *job[E]) sortParts(a, alt []E, at int, parts []part) {
	leafMax := leafBytes / int(unsafe.Sizeof(a[0]))
	var leaves []part
	for _, p := range parts {
		if p.hi-p.lo <= leafMax || p.top <= j.low {
			leaves = append(leaves, p)
			continue
		}
		if alt == nil {
			s := getScratch[E](len(a))
			defer s.put()
			alt = s.s
		}
		if simd.Available() {
			j.splitRange(a[p.lo:p.hi], alt[p.lo:p.hi], a[p.lo:p.hi], at+p.lo, p.top)
		} else {
			j.splitChunks(a[p.lo:p.hi], alt[p.lo:p.hi], a[p.lo:p.hi], at+p.lo, p.top, j.workers)
		}
	}
	finish := func(i int) {
		p := leaves[i]
		j.finish(a[p.lo:p.hi], at+p.lo, 1)
	}
	j.eachOrFinish(j.workers, len(leaves), func(i int) {
		p := leaves[i]
		if p.hi-p.lo > leafMax {
			finish(i) // no bit left to sort by
			return
		}
		// The same memory for one leaf after the other stays in cache.
		b := getScratch[E](leafMax)
		leaf(a[p.lo:p.hi], b.s[:p.hi-p.lo], j.low, p.top, at+p.lo, j.emit)
		b.put()
	}, finish)
}
