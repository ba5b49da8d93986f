package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// vectorJob is an in-place sort of words by vector quicksort.
//
// With one worker it is one quicksort. With more, all workers together
// partition the longest segment until there is one for each (share.go); then
// each goes on with its own, and one that has run out takes the longest that
// another has put aside (pile.go). Since the segments end where the data says,
// no input leaves one worker with most of the work.
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
	stretchItems = 1 << 22
	// twoWorkers is the most workers that leave words of two values to one, whose
	// single pass takes a quarter of the time of their partitions and fills.
	twoWorkers = 4
	// grainBytes is the longest segment that is not put aside in parts: in the
	// level-2 cache from the first partition of its sort on.
	grainBytes = 1 << 20
)

func (j *vectorJob[U]) sort() {
	if !j.single() && j.workers <= twoWorkers && j.two() {
		return
	}
	j.sortSegments([]segment[U]{{hi: len(j.x)}}, j.raw)
}

// single reports whether the sort is one quicksort.
func (j *vectorJob[U]) single() bool {
	n := len(j.x)
	return n < forkItems || j.workers == 1 && (j.unwatch == nil || n <= stretchItems)
}

// two sorts x, which is one segment, if it has two values at most; if not, x has
// the words that it had.
func (j *vectorJob[U]) two() bool {
	s := getScratch[simd.Scratch[U]](1)
	defer s.put()
	v := simd.Job[U]{Scratch: &s.s[0], Codec: j.codec, Raw: j.raw, Stop: &j.stop}
	return v.Two(j.x)
}

// sortSegments sorts x, which the segments make up; if raw is set it is one, and
// not encoded yet.
func (j *vectorJob[U]) sortSegments(segments []segment[U], raw bool) {
	if j.single() {
		for _, g := range segments {
			j.segment(g, raw)
		}
		return
	}
	segments, encoded := j.share(segments, raw)
	if !encoded {
		return
	}
	j.deal(segments)
}

// segment is a range of x whose images are at least min; equal if they are all
// min. lopsided is how many partitions on the way to it divided badly.
type segment[U wide] struct {
	lo, hi   int
	min      U
	equal    bool
	lopsided int
}

func (g segment[U]) len() int { return g.hi - g.lo }

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
