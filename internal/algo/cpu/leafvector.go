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
	// tagAim is the length of the buckets that a longer leaf is split into, on
	// average: they are sorted by one network.
	tagAim = 160
)

// leaf sorts a, whose words agree from bit top on, by bits [low, top), and
// emits it from place at on. It is stable. b is scratch of the same length.
func leaf[E elem](a, b []E, low, top uint, at int, emit func(e []E, at int)) {
	if !simd.Available() || len(a) < vectorLeafMin || top <= low {
		if leafSort(a, b, low, top) {
			a = b
		}
		emit(a, at)
		return
	}
	if len(a) <= tagMax {
		top = varyingTop(a, low, top)
	}
	t := getScratch[tagger[E]](1)
	t.s[0].leaf(a, b, low, top, at, emit)
	t.put()
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
	out  [tagMax]E
	net  simd.Scratch[uint32]
}

// leaf is the vector form of the function leaf: elements are split by a digit
// until buckets are short; there, words of key bits above the position, which
// are distinct, are sorted in the place of elements.
func (t *tagger[E]) leaf(a, b []E, low, top uint, at int, emit func(e []E, at int)) {
	n := len(a)
	if top > low && n <= tagMax {
		emit(t.sort(a, b, low, top), at)
		return
	}
	d, c := tally(a, low, top, tagAim)
	if c == nil {
		emit(a, at)
		return
	}
	sum := 0
	for i, m := range c {
		c[i], sum = sum, sum+m
	}
	moveBlock(a, b, c, d)
	lo := 0
	for _, hi := range c[:int(d.mask)+1] {
		switch {
		case hi == lo:
		case hi-lo == 1 || d.shift == low:
			emit(b[lo:hi], at+lo)
		default:
			t.leaf(b[lo:hi], a[lo:hi], low, d.shift, at+lo, emit)
		}
		lo = hi
	}
}

// tally counts a digit of a that holds the highest bits from low on in which
// its words vary, so wide that buckets come out at about aim elements. It
// returns nil if none vary.
func tally[E elem](a []E, low, top uint, aim int) (digit, *counts) {
	ref := word(&a[0])
	for top > low {
		width := min(8, top-low, uint(bits.Len(uint(len(a)/aim))))
		d := digit{top - width, uint8(1<<width - 1)}
		c := new(counts)
		exact := uint(bits.Len64(countBlock(a, c, d, ref)>>low)) + low
		if exact > top-width {
			return d, c
		}
		top = exact
	}
	return digit{}, nil
}

// sort returns a, at most tagMax elements, in order: in a or in room of its
// own. b is scratch.
func (t *tagger[E]) sort(a, b []E, low, top uint) []E {
	n := len(a)
	if n < vectorLeafMin/4 {
		insertion(a, low)
		return a
	}
	place := uint(bits.Len(uint(n - 1)))
	kept := min(top-low, 32-place)
	shift := top - kept
	tags, mask := t.tags[:n], uint32(1)<<place-1
	for i := range a {
		tags[i] = uint32(word(&a[i])>>(shift&63))<<(place&31) | uint32(i)
	}
	if !simd.Tiny(tags) {
		j := getJob[uint32]()
		j.Scratch = &t.net
		j.Sort(tags, 0)
		putJob(j)
	}
	out := t.out[:n]
	p := unsafe.Pointer(unsafe.SliceData(a))
	// Neighbours that agree in the key bits differ by less than a position.
	last, least := ^tags[0], mask+1
	for i, v := range tags {
		least = min(least, v^last)
		last = v
		out[i] = *(*E)(unsafe.Add(p, uintptr(v&mask)*unsafe.Sizeof(out[0])))
	}
	if shift > low && least <= mask && !mend(out, low) {
		if leafSort(a, b, low, top) {
			return b[:n]
		}
		return a
	}
	return out
}

// shortWords is the length up to which words are sorted as a whole before they
// are used: they are still in the level-1 cache, and no function value, which
// would be allocated, is needed.
const shortWords = 2048

// sortWords sorts x.
func sortWords(x []uint64) {
	s := getScratch[simd.Scratch[uint64]](1)
	defer s.put()
	j := getJob[uint64]()
	j.Scratch = &s.s[0]
	j.Sort(x, 0)
	putJob(j)
}
