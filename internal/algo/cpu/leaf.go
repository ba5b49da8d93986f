package cpu

import (
	"math/bits"
	"unsafe"
)

const (
	// insertionMax: below it one radix pass costs more than the insertions.
	insertionMax = 28
	// leafBytes: a leaf and its other copy fit a 2 MiB level-2 cache. That copy
	// is what a worker holds beside the elements of the sort.
	leafBytes = 7 << 17
	radix     = 256
)

// leafSort sorts a by bits [low, top) of word; all higher bits agree. It is
// stable. b is scratch of the same length. It reports whether the result lies
// in b; the other slice then holds rubbish.
func leafSort[E elem](a, b []E, low, top uint) (inB bool) {
	n := len(a)
	if n <= insertionMax {
		insertion(a, low)
		return false
	}
	if top <= low {
		return false
	}
	// Digits beyond log2(n)+7 bits rarely tell two keys apart: the rest is
	// left to the insertions.
	passes := min((top-low+7)/8, (uint(bits.Len(uint(n)))+13)/8, 8)
	base := low
	if top-low > passes*8 {
		base = top - passes*8
	}
	var count [8][radix]uint32
	histogram(a, &count, base, passes)
	for p := range passes {
		shift := base + p*8
		c := &count[p]
		d := uint8(word(&a[0]) >> (shift & 63))
		if c[d] == uint32(n) {
			continue
		}
		sum := uint32(0)
		for i := range c {
			c[i], sum = sum, sum+c[i]
		}
		scatter(a, b, c, shift)
		a, b = b, a
		inB = !inB
	}
	if base > low {
		finishGroups(a, b, low, base)
	}
	return inB
}

// histogram counts the 8-bit digits from bit base on.
func histogram[E elem](a []E, count *[8][radix]uint32, base, passes uint) {
	switch passes {
	case 1:
		c0 := &count[0]
		for i := range a {
			c0[uint8(word(&a[i])>>(base&63))]++
		}
	case 2:
		c0, c1 := &count[0], &count[1]
		for i := range a {
			w := word(&a[i]) >> (base & 63)
			c0[uint8(w)]++
			c1[uint8(w>>8)]++
		}
	case 3:
		c0, c1, c2 := &count[0], &count[1], &count[2]
		for i := range a {
			w := word(&a[i]) >> (base & 63)
			c0[uint8(w)]++
			c1[uint8(w>>8)]++
			c2[uint8(w>>16)]++
		}
	case 4:
		c0, c1, c2, c3 := &count[0], &count[1], &count[2], &count[3]
		for i := range a {
			w := word(&a[i]) >> (base & 63)
			c0[uint8(w)]++
			c1[uint8(w>>8)]++
			c2[uint8(w>>16)]++
			c3[uint8(w>>24)]++
		}
	default:
		for i := range a {
			w := word(&a[i]) >> (base & 63)
			for p := range passes {
				count[p][uint8(w)]++
				w >>= 8
			}
		}
	}
}

// scatter moves a to b by the digit at shift; c holds the next place of each.
func scatter[E elem](a, b []E, c *[radix]uint32, shift uint) { scatterTo(a, b[:len(a)], c, shift) }

// scatterTo is scatter to places anywhere in b.
// Inlined into its caller, its loop would spill registers.
//
//go:noinline
func scatterTo[E elem](a, b []E, c *[radix]uint32, shift uint) {
	p := unsafe.Pointer(unsafe.SliceData(b))
	size := unsafe.Sizeof(a[0])
	shift &= 63
	for i := range a {
		d := uint8(word(&a[i]) >> (shift & 63))
		at := c[d]
		*(*E)(unsafe.Add(p, uintptr(at)*size)) = a[i]
		c[d] = at + 1
	}
}

// finishGroups sorts, by bits [low, base), the runs of a that agree above.
func finishGroups[E elem](a, b []E, low, base uint) {
	prev := word(&a[0]) >> (base & 63)
	for i := 1; i < len(a); i++ {
		w := word(&a[i]) >> (base & 63)
		if w != prev {
			prev = w
			continue
		}
		j := i + 1
		for j < len(a) && word(&a[j])>>(base&63) == w {
			j++
		}
		if leafSort(a[i-1:j], b[i-1:j], low, base) {
			copy(a[i-1:j], b[i-1:j])
		}
		i = j - 1
	}
}
