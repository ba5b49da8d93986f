package cpu

import (
	"math"
	"unsafe"
)

// openRoom returns how many places of room a chunk of n elements is given for
// each value of the digit at shift, above which there are no bits, and how many
// values that is. Elements that are spread evenly exceed a mean by five of its
// square roots in one bucket of a million.
//
// Places begin an odd number of cache lines apart, so that the lines that are
// written to are spread over all sets of the level-1 cache.
func openRoom[E elem](n int, shift uint) (places, values int) {
	var e E
	values = min(wideRadix, 1<<(wordBits[E]()-shift))
	mean := float64(n) / float64(values)
	line := 64 / int(unsafe.Sizeof(e))
	lines := (int(mean+5*math.Sqrt(mean)) + line) / line
	return (lines | 1) * line, values
}

// divideOpen is divideChunk without a count first: each bucket has room for some
// more elements than it should get. It reports false, and chunk k is not divided,
// if one gets more, or if that room is not there. No bit above the digit varies.
//
// Between two looks at what has come together no more elements are moved than the
// room has places behind the last bucket: whatever the elements are, those of a
// bucket that is full go to others' places, and not beyond the room.
func (j *job[E]) divideOpen(load func(i, k int, buf []E) []E, s *chunked[E], k int) bool {
	lo, hi := k*s.per, min(len(s.e), (k+1)*s.per)
	out := s.e[lo:hi]
	places, values := openRoom[E](len(out), s.shift)
	room := getScratch[E](roomBytes / int(unsafe.Sizeof(s.e[0])))
	defer room.put()
	spare := (len(room.s) - places*values) / blockItems * blockItems
	if spare <= 0 {
		return false
	}
	var c wideCounts
	c.open(places)
	for i := 0; i < len(out) && !j.cancelled(); {
		for end := min(i+spare, len(out)); i < end; i += blockItems {
			n := min(blockItems, len(out)-i)
			scatterWide(load(lo+i, lo+i+n, out[i:i+n]), room.s, &c, s.shift)
		}
		if c.over(places) {
			return false
		}
	}
	b, at := &s.ends.s[k], 0
	for d := range values {
		b[d] = uint32(at)
		at += copy(out[at:], room.s[d*places:c[d]])
	}
	for d := values; d < ends; d++ {
		b[d] = uint32(at)
	}
	return true
}

// openDigits is twoDigits without counts, from bit base on: each value of a digit
// has room for more elements than it should get, first in a, then in b, and what
// came together there is brought together in a. It reports false, and the pieces
// are as they were, if a value gets more.
func (j *job[E]) openDigits(s *chunked[E], d, n int, a, b []E, base uint) bool {
	places, _ := openRoom[E](n, wordBits[E]()-wideBits)
	if places*wideRadix+n > len(a) {
		return false
	}
	var c, to wideCounts
	c.open(places)
	for k := range s.chunks() {
		if k+1 < s.chunks() {
			touch(s.piece(k+1, d))
		}
		scatterWide(s.piece(k, d), a, &c, base)
	}
	if c.over(places) {
		return false
	}
	to.open(places)
	for v := range wideRadix {
		scatterWide(a[v*places:c[v]], b, &to, base+wideBits)
	}
	if to.over(places) {
		return false
	}
	at := 0
	for v := range wideRadix {
		at += copy(a[at:n], b[v*places:to[v]])
	}
	return true
}

// open sets c to the starts of buckets of so many places.
func (c *wideCounts) open(places int) {
	for d := range c {
		c[d] = uint32(d * places)
	}
}

// over reports whether a bucket of so many places has got more.
func (c *wideCounts) over(places int) bool {
	most := 0
	for d := range c {
		most = max(most, int(c[d])-d*places)
	}
	return most > places
}
