package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
)

const (
	// vectorLeafMin is the length from which tagging elements with their
	// position, sorting the tags by vector instructions and fetching the
	// elements beats radix passes.
	vectorLeafMin = 48
	// tagMax is the most elements whose 32-bit tags are sorted at once: tags
	// and elements stay in the level-1 cache, and a position leaves most of a
	// tag to the key.
	tagMax = 1024
	// tagBits is the widest digit by which a longer leaf is split: a line of
	// each bucket fits the level-1 cache or nearly so.
	tagBits = 10
	// heldItems is how many sorted elements are held before they are emitted.
	heldItems = 2 * tagMax
)

// tagAim is the length of the buckets that a leaf longer than tagMax is split
// into, at most on average: they are sorted by one network, which the level has.
func tagAim() int {
	if simd.Current() == simd.AVX512 {
		return 160
	}
	return 80
}

// leaf sorts a, whose words agree from bit top on, by bits [low, top), and
// emits it from place at on. It is stable. b is scratch of the same length.
func leaf[E elem](a, b []E, low, top uint, at int, emit func(e []E, at int)) {
	if !simd.Available() || len(a) < vectorLeafMin || top <= low || unsafe.Sizeof(a[0]) == 4 {
		if leafSort(a, b, low, top) {
			a = b
		}
		emit(a, at)
		return
	}
	s := getScratch[tagger[E]](1)
	t := &s.s[0]
	t.held, t.at = 0, at
	t.leaf(a, b, low, top, emit)
	t.flush(emit)
	s.put()
}

// varyingTop returns the end of the bits from low on in which the words of a
// vary, which agree from bit top on.
func varyingTop[E elem](a []E, low, top uint) uint {
	ref, varying := word(&a[0]), uint64(0)
	for i := range a {
		varying |= word(&a[i]) ^ ref
	}
	return min(top, uint(bits.Len64(varying>>low))+low)
}

// tagger is the room of a vector leaf.
type tagger[E elem] struct {
	tags [tagMax + simd.Slack/4]uint32
	// out[:held] are the sorted elements of places at, at+1, …
	out      [heldItems]E
	held, at int
	net      simd.Scratch[uint32]
}

// flush emits what is held.
func (t *tagger[E]) flush(emit func(e []E, at int)) {
	if t.held > 0 {
		emit(t.out[:t.held], t.at)
		t.at += t.held
		t.held = 0
	}
}

// take returns room for the next n sorted elements, at most heldItems, which are
// then held.
func (t *tagger[E]) take(n int, emit func(e []E, at int)) []E {
	if t.held+n > heldItems {
		t.flush(emit)
	}
	t.held += n
	return t.out[t.held-n : t.held]
}

// push emits e, sorted, sooner or later.
func (t *tagger[E]) push(e []E, emit func(e []E, at int)) {
	if len(e) <= tagMax {
		copy(t.take(len(e), emit), e)
		return
	}
	t.flush(emit)
	emit(e, t.at)
	t.at += len(e)
}

// leaf is the vector form of the function leaf: elements are split by a digit
// until buckets are short; there, words of key bits above the position, which
// are distinct, are sorted in the place of elements.
func (t *tagger[E]) leaf(a, b []E, low, top uint, emit func(e []E, at int)) {
	n := len(a)
	if top <= low {
		t.push(a, emit)
		return
	}
	if n <= tagMax {
		t.sort(a, b, low, top, emit)
		return
	}
	s := getScratch[simd.Tally](1)
	defer s.put()
	shift, mask := tally(a, low, top, &s.s[0])
	if mask == 0 {
		t.push(a, emit)
		return
	}
	next := &s.s[0][0]
	sum := uint32(0)
	for d, m := range s.s[0][1][:mask+1] {
		m += next[d]
		next[d] = sum
		sum += m
	}
	simd.Move(a, shift, mask, next, b)
	lo := 0
	for _, end := range next[:mask+1] {
		hi := int(end)
		if lo < hi {
			t.leaf(b[lo:hi], a[lo:hi], low, shift, emit)
		}
		lo = hi
	}
}

// tally counts a digit of a that holds the highest bits from low on in which
// its words vary, so wide that buckets come out at about tagAim elements. mask
// is 0 if none vary.
func tally[E elem](a []E, low, top uint, t *simd.Tally) (shift uint, mask uint32) {
	ref := word(&a[0])
	for top > low {
		width := min(tagBits, top-low, uint(bits.Len(uint(len(a)/tagAim()))))
		shift, mask = top-width, uint32(1)<<width-1
		clear(t[0][:mask+1])
		clear(t[1][:mask+1])
		exact := uint(bits.Len64(simd.Count(a, shift, mask, t, ref)>>low)) + low
		if exact > shift {
			return shift, mask
		}
		top = exact
	}
	return 0, 0
}

// sort sorts a, at most tagMax elements, into what is held. b is scratch.
func (t *tagger[E]) sort(a, b []E, low, top uint, emit func(e []E, at int)) {
	n := len(a)
	out := t.take(n, emit)
	if n < vectorLeafMin/4 {
		copy(out, a)
		insertion(out, low)
		return
	}
	tied := t.order(a, out, low, top)
	if tied {
		// Most of the tags' bits may not vary.
		if exact := varyingTop(a, low, top); exact < top {
			top = exact
			tied = t.order(a, out, low, top)
		}
	}
	if tied && !insertNearly(out, low) {
		if leafSort(a, b, low, top) {
			a = b
		}
		copy(out, a)
	}
}

// order writes a to out in the order of as many bits below top as fit a tag
// beside the position, and reports whether elements that agree in those may
// differ in lower ones, from bit low on.
func (t *tagger[E]) order(a, out []E, low, top uint) (tied bool) {
	place := uint(bits.Len(uint(len(a) - 1)))
	kept := min(top-low, 32-place)
	shift := top - kept
	tags, mask := t.tags[:len(a)], uint32(1)<<place-1
	simd.Tags(tags, a, shift, place)
	if !simd.Tiny(tags) {
		j := getJob[uint32]()
		j.Scratch = &t.net
		j.Sort(tags, 0)
		putJob(j)
	}
	simd.Fetch(out, a, tags, mask)
	// Neighbours that agree in the key bits differ by less than a position.
	return shift > low && simd.Nearest(tags) <= mask
}
