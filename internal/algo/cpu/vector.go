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
// another has put aside (stealing.go). Since the segments end where the data says,
// no input leaves one worker with most of the work.
type vectorJob[U wide] struct {
	*run
	x     []U
	codec simd.Codec[U]
	raw   bool // x is not encoded yet, and the codec does something
	// then gets the sorted parts of x, decoded; it may be nil.
	then func(part []U, at int)
}

const (
	// forkItems is the least number of words worth a second worker, forkBytes that of
	// their bytes: two to sixteen workers take 0.85 to 0.9 of one's speed on 2^16 words
	// of 32 bits, 1.1 to 1.5 on as many of 64.
	forkItems, forkBytes = 1 << 16, 1 << 19
	// twoWorkers is the most workers that leave words of two values to one, whose
	// single pass takes a quarter of the time of their partitions and fills.
	twoWorkers = 4
	// grainBytes is the longest segment that is not put aside in parts: in the
	// level-2 cache from the first partition of its sort on.
	grainBytes = 1 << 20
)

// partitionBytes is the longest segment that one worker partitions in one go, some
// three milliseconds, in which the garbage collector cannot stop it: in stretches, as
// several workers do it, it takes a tenth longer. It is a variable so that tests need
// no more.
var partitionBytes = 16 << 20

// encodeBytes is the longest segment that is encoded as a whole, if the sort can be
// cancelled: what is encoded then must be decoded. Each worker has begun one such
// segment at most, or else part of one that another has begun, so that there are no
// more bytes to decode than this for each, which takes 10 to 20 ms. A variable, too.
var encodeBytes = 64 << 20

func (j *vectorJob[U]) sort() {
	if !j.single() && j.workers <= twoWorkers && j.few() {
		return
	}
	j.sortSegments([]segment[U]{{hi: len(j.x), max: ^U(0), raw: j.raw}})
}

// single reports whether the sort is one quicksort.
func (j *vectorJob[U]) single() bool {
	n := len(j.x)
	return n < max(forkItems, forkBytes/int(unsafe.Sizeof(U(0)))) || j.workers == 1 && !j.long(n)
}

// long reports whether so many words are too many for one step of a sort.
func (j *vectorJob[U]) long(n int) bool {
	return n > partitionBytes/int(unsafe.Sizeof(U(0)))
}

// few sorts x, which is one segment, if it has two values at most, or for one worker
// few, where the sort cannot be cancelled; if not, x has the words that it had.
func (j *vectorJob[U]) few() bool {
	s := getScratch[simd.Scratch[U]](1)
	defer s.put()
	v := simd.Job[U]{Scratch: &s.s[0], Codec: j.codec, Raw: j.raw, Stop: j.stopper()}
	if j.workers == 1 && j.look == nil {
		return v.Few(j.x)
	}
	return v.Two(j.x)
}

// sortSegments sorts x, which the segments make up.
func (j *vectorJob[U]) sortSegments(segments []segment[U]) {
	if j.single() {
		for _, g := range segments {
			j.segment(g)
		}
		return
	}
	j.deal(j.share(segments))
}

// segment is a range of x whose encoded keys are from min to max; equal if they are all
// min; raw if it is not encoded. lopsided is how many partitions on the way to it
// divided badly.
type segment[U wide] struct {
	lo, hi   int
	min, max U
	equal    bool
	raw      bool
	lopsided int
}

func (g segment[U]) len() int { return g.hi - g.lo }

// segment sorts g by one worker.
func (j *vectorJob[U]) segment(g segment[U]) {
	x := j.x[g.lo:g.hi]
	if j.cancelled() {
		if j.raw && !g.raw {
			j.codec.Decode(x)
		}
		return
	}
	s := getScratch[simd.Scratch[U]](1)
	defer s.put()
	v := getJob[U]()
	defer putJob(v)
	*v = simd.Job[U]{Scratch: &s.s[0], Codec: j.codec, Raw: g.raw, Stop: j.stopper()}
	if j.then != nil {
		base := uintptr(unsafe.Pointer(unsafe.SliceData(j.x)))
		v.Then = func(part []U) {
			at := uintptr(unsafe.Pointer(unsafe.SliceData(part))) - base
			j.then(part, int(at/unsafe.Sizeof(part[0])))
		}
	}
	v.Sort(x, g.min)
}
