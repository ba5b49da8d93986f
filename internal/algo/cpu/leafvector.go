package cpu

import (
	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

// vectorLeafMin is the length from which tagging elements with their position,
// sorting the tags by vector instructions and fetching the elements beats
// radix passes.
const vectorLeafMin = 48

// leaf is leafSort by the best means: of elements with a payload that the sort
// must not look at, it sorts words of 32 key bits above the position, which
// are distinct, so that the result is stable.
func leaf[E elem](a, b []E, low, top uint) (inB bool) {
	if len(a) < vectorLeafMin || top <= low || !simd.Available() {
		return leafSort(a, b, low, top)
	}
	switch any(a).(type) {
	case []uint64:
		if low == 32 {
			leafPacked(cast[uint64](a), cast[uint64](b))
			return false
		}
	case []rec:
		leafRecords(cast[rec](a), cast[rec](b), top)
		return true
	}
	return leafSort(a, b, low, top)
}

// leafPacked sorts a by the high halves. b is scratch.
func leafPacked(a, b []uint64) {
	b = b[:len(a)]
	for i, w := range a {
		b[i] = w
		a[i] = w&^(1<<32-1) | uint64(i)
	}
	if len(a) <= shortWords {
		sortWords(a, nil)
		payloads(a, b)
		return
	}
	sortWords(a, func(p []uint64) { payloads(p, b) })
}

// payloads replaces the positions in the low halves of p by the low halves of
// the words of b there.
func payloads(p, b []uint64) {
	for i, w := range p {
		p[i] = w&^(1<<32-1) | b[uint32(w)]&(1<<32-1)
	}
}

// leafRecords writes a, whose keys agree from bit top on, to b in order.
func leafRecords(a, b []rec, top uint) {
	w := getScratch[uint64](len(a))
	defer w.put()
	shift := max(top, 32) - 32
	for i := range a {
		w.s[i] = a[i].k>>(shift&63)<<32 | uint64(i)
	}
	if len(a) <= shortWords {
		sortWords(w.s, nil)
		fetch(b, a, w.s)
	} else {
		at := 0
		sortWords(w.s, func(p []uint64) {
			fetch(b[at:at+len(p)], a, p)
			at += len(p)
		})
	}
	if shift > 0 {
		// Few keys agree in 32 bits; a has been read and is free.
		finishGroups(b, a, 0, shift)
	}
}

// fetch writes to d the elements of a at the positions in the low halves of p.
func fetch(d, a []rec, p []uint64) {
	for i, v := range p {
		d[i] = a[uint32(v)]
	}
}

// shortWords is the length up to which words are sorted as a whole before they
// are used: they are still in the level-1 cache, and no function value, which
// would be allocated, is needed.
const shortWords = 2048

// sortWords sorts x and calls then, if it is not nil, for consecutive parts.
func sortWords(x []uint64, then func(p []uint64)) {
	s := getScratch[simd.Scratch[uint64]](1)
	defer s.put()
	j := getJob[uint64]()
	j.Scratch, j.Then = &s.s[0], then
	j.Sort(x, 0)
	putJob(j)
}
