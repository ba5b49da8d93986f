package cpu

import "unsafe"

// twoMin and twoMax are the lengths of a bucket between which it is sorted by
// two wide digits.
const (
	twoMin = 1 << 10
	twoMax = 46 << 10
)

// pieces sorts and emits the buckets of s: first the leaves, each by one worker;
// then those too long for one, which are brought together in alt.
func (j *job[E]) pieces(s *chunked[E], alt []E, at int, workers int) {
	leafMax := roomBytes / 2 / int(unsafe.Sizeof(s.e[0]))
	var start [ends]int
	var leaves, long []int
	for d := range wideRadix {
		n := 0
		for k := range s.chunks() {
			n += len(s.piece(k, d))
		}
		start[d+1] = start[d] + n
		switch {
		case n == 0:
		case n <= leafMax || s.shift <= j.low:
			leaves = append(leaves, d)
		default:
			long = append(long, d)
		}
	}
	j.eachOrFinish(workers, len(leaves), func(i int) {
		d := leaves[i]
		j.leafPieces(s, d, start[d+1]-start[d], at+start[d])
	}, func(i int) { j.emitPieces(s, leaves[i], at+start[leaves[i]]) })
	if len(long) == 0 {
		return
	}
	if alt == nil {
		room := getScratch[E](len(s.e))
		defer room.put()
		alt = room.s
	}
	j.eachOf(workers, len(long), func(_, i int) {
		dst := alt[start[long[i]]:]
		for k := 0; k < s.chunks() && !j.cancelled(); k++ {
			dst = dst[copy(dst, s.piece(k, long[i])):]
		}
	})
	if j.cancelled() { // they may not have come together
		j.eachOf(j.finishers(workers), len(long), func(_, i int) { j.emitPieces(s, long[i], at+start[long[i]]) })
		return
	}
	split := func(d, workers int) {
		lo, hi := start[d], start[d+1]
		j.splitChunks(alt[lo:hi], s.e[lo:hi], alt[lo:hi], at+lo, s.shift, workers)
	}
	var alone []int
	for _, d := range long {
		if start[d+1]-start[d] > len(s.e)/(2*workers) {
			split(d, workers)
		} else {
			alone = append(alone, d)
		}
	}
	j.eachOf(workers, len(alone), func(_, i int) { split(alone[i], 1) })
}

// gather copies the pieces of bucket d to the start of dst.
func (j *job[E]) gather(s *chunked[E], d int, dst []E) {
	for k := range s.chunks() {
		dst = dst[copy(dst, s.piece(k, d)):]
	}
}

// emitPieces emits bucket d as it is, from place at on.
func (j *job[E]) emitPieces(s *chunked[E], d, at int) {
	for k := range s.chunks() {
		if p := s.piece(k, d); len(p) > 0 {
			j.finish(p, at, 1)
			at += len(p)
		}
	}
}

// leafPieces sorts the n elements of bucket d and emits them from place at on.
func (j *job[E]) leafPieces(s *chunked[E], d, n, at int) {
	if s.shift <= j.low || j.cancelled() {
		j.emitPieces(s, d, at)
		return
	}
	room := getScratch[E](roomBytes / int(unsafe.Sizeof(s.e[0])))
	defer room.put()
	a, b := room.s[:n], room.s[len(room.s)/2:][:n]
	if n < twoMin || n > twoMax || s.shift <= j.low+wideBits {
		j.gather(s, d, a)
		if leafSort(a, b, j.low, s.shift) {
			a = b
		}
	} else if j.twoDigits(s, d, a, b) {
		a = b
	}
	j.emit(a, at)
}

// twoDigits sorts bucket d by its two highest digits, each of which is counted
// where the pieces lie, and by insertion by the bits below. It reports whether
// the result lies in b, not in a.
func (j *job[E]) twoDigits(s *chunked[E], d int, a, b []E) (inB bool) {
	base := max(j.low, s.shift-min(s.shift, 2*wideBits))
	if !s.uneven.Load() {
		room := cap(a) - cap(b) // of each, a and b being halves of one block
		if j.openDigits(s, d, len(a), a[:room], b[:cap(b)], base) {
			j.finishDigits(a, b, base)
			return false
		}
		s.uneven.Store(true)
	}
	var c [4]wideCounts
	for k := range s.chunks() {
		if k+1 < s.chunks() {
			touch(s.piece(k+1, d))
		}
		countTwo(s.piece(k, d), &c, base)
	}
	c[0].add(&c[2])
	c[1].add(&c[3])
	if c[0].starts(len(a)) {
		j.gather(s, d, a)
	} else {
		for k := range s.chunks() {
			scatterWide(s.piece(k, d), a, &c[0], base)
		}
	}
	if !c[1].starts(len(a)) {
		scatterWide(a, b, &c[1], base+wideBits)
		a, b, inB = b, a, true
	}
	j.finishDigits(a, b, base)
	return inB
}

// finishDigits sorts a, which is in order from bit base on, by the bits below.
func (j *job[E]) finishDigits(a, b []E, base uint) {
	if base > j.low && !insertNearly(a, j.low) {
		finishGroups(a, b, j.low, base)
	}
}

// touch loads a word of each line of e, so that it is on its way into the caches
// while something else is read: Go has no prefetch.
//
//go:noinline
func touch[E elem](e []E) (last E) {
	for i := 0; i < len(e); i += 64 / int(unsafe.Sizeof(e[0])) {
		last = e[i]
	}
	return last
}
