package cpu

import "unsafe"

const (
	// wideMin is the length from which digits of nine bits are worth their
	// larger tables.
	wideMin   = 1 << 14
	wideBits  = 9
	wideRadix = 1 << wideBits
	// widePasses is the number of digits.
	widePasses = 3
)

// leafWide is leafSort of at most 27 bits in three passes, with digits of nine:
// a split of 32-bit keys leaves 26.
func leafWide[E elem](a, b []E, low, top uint) (inB bool) {
	n := len(a)
	var count [widePasses][wideRadix]uint32
	histogramWide(a, &count, low)
	for p := range uint(widePasses) {
		shift := low + p*wideBits
		c := &count[p]
		if c[word(&a[0])>>(shift&63)%wideRadix] == uint32(n) {
			continue
		}
		sum := uint32(0)
		for i := range c {
			c[i], sum = sum, sum+c[i]
		}
		scatterWide(a, b, c, shift)
		a, b = b, a
		inB = !inB
	}
	return inB
}

// histogramWide counts the digits from bit low on.
//
//go:noinline
func histogramWide[E elem](a []E, count *[widePasses][wideRadix]uint32, low uint) {
	c0, c1, c2 := &count[0], &count[1], &count[2]
	for i := range a {
		w := word(&a[i]) >> (low & 63)
		c0[w%wideRadix]++
		c1[w>>wideBits%wideRadix]++
		c2[w>>(2*wideBits)%wideRadix]++
	}
}

// scatterWide is scatter for digits of nine bits.
//
//go:noinline
func scatterWide[E elem](a, b []E, c *[wideRadix]uint32, shift uint) {
	p := unsafe.Pointer(unsafe.SliceData(b[:len(a)]))
	size := unsafe.Sizeof(a[0])
	for i := range a {
		d := word(&a[i]) >> (shift & 63) % wideRadix
		at := c[d]
		*(*E)(unsafe.Add(p, uintptr(at)*size)) = a[i]
		c[d] = at + 1
	}
}
