package cpu

import "unsafe"

// The digit of the sorts without vector instructions: the counters of two of
// them, and the lines that so many places are written to, stay in the level-1
// cache. The width is a constant, since Go shifts and masks by a variable in
// several instructions; bits of a digit that do not vary do no harm.
const (
	wideBits  = 9
	wideRadix = 1 << wideBits
)

// wideCounts is a number for each value of a wide digit.
type wideCounts [wideRadix]uint32

// starts replaces counts by the sums of those before, and reports whether one
// value has all n.
func (c *wideCounts) starts(n int) (constant bool) {
	sum := uint32(0)
	for i, m := range c {
		constant = constant || m == uint32(n)
		c[i], sum = sum, sum+m
	}
	return constant
}

// add adds d to c.
func (c *wideCounts) add(d *wideCounts) {
	for i := range c {
		c[i] += d[i]
	}
}

// elemAt returns the element at index i from p on.
func elemAt[E elem](p unsafe.Pointer, i uintptr) *E {
	var e E
	return (*E)(unsafe.Add(p, i*unsafe.Sizeof(e)))
}

// twoWords returns the 32-bit elements at p, the second above the first, by one
// load where the processor has it.
func twoWords(p unsafe.Pointer) uint64 {
	return uint64(*(*uint32)(p)) | uint64(*(*uint32)(unsafe.Add(p, 4)))<<32
}

// countWide counts the digit at shift and returns the bits in which words differ
// from ref. The counts are the sums of four tables, since equal neighbours would
// wait for each other's increment.
//
//go:noinline
func countWide[E elem](a []E, c *[4]wideCounts, shift uint, ref uint64) (varying uint64) {
	p, n, i := unsafe.Pointer(unsafe.SliceData(a)), uintptr(len(a)), uintptr(0)
	for ; i+4 <= n; i += 4 {
		w := word(elemAt[E](p, i))
		c[0][w>>(shift&63)%wideRadix]++
		varying |= w ^ ref
		w = word(elemAt[E](p, i+1))
		c[1][w>>(shift&63)%wideRadix]++
		varying |= w ^ ref
		w = word(elemAt[E](p, i+2))
		c[2][w>>(shift&63)%wideRadix]++
		varying |= w ^ ref
		w = word(elemAt[E](p, i+3))
		c[3][w>>(shift&63)%wideRadix]++
		varying |= w ^ ref
	}
	for ; i < n; i++ {
		w := word(elemAt[E](p, i))
		c[0][w>>(shift&63)%wideRadix]++
		varying |= w ^ ref
	}
	return varying
}

// countTop is countWide of the highest bits of words, above which none can vary.
//
//go:noinline
func countTop[E elem](a []E, c *[4]wideCounts, shift uint) {
	p, n, i := unsafe.Pointer(unsafe.SliceData(a)), uintptr(len(a)), uintptr(0)
	for ; i+4 <= n; i += 4 {
		c[0][word(elemAt[E](p, i))>>(shift&63)%wideRadix]++
		c[1][word(elemAt[E](p, i+1))>>(shift&63)%wideRadix]++
		c[2][word(elemAt[E](p, i+2))>>(shift&63)%wideRadix]++
		c[3][word(elemAt[E](p, i+3))>>(shift&63)%wideRadix]++
	}
	for ; i < n; i++ {
		c[0][word(elemAt[E](p, i))>>(shift&63)%wideRadix]++
	}
}

// countTwo counts the digit at shift in tables 0 and 2, and the one above it in
// tables 1 and 3. Elements of 32 bits are read and shifted in pairs, the second
// above the first: no bit of the second comes into the digits of the first, since
// both are of its 32 bits, shift being at most 32 − 2·wideBits.
//
//go:noinline
func countTwo[E elem](a []E, c *[4]wideCounts, shift uint) {
	p, n, i := unsafe.Pointer(unsafe.SliceData(a)), uintptr(len(a)), uintptr(0)
	if wordBits[E]() == 32 {
		for ; i+4 <= n; i += 4 {
			w := twoWords(unsafe.Add(p, 4*i)) >> (shift & 63)
			c[0][w%wideRadix]++
			c[1][w>>wideBits%wideRadix]++
			c[2][w>>32%wideRadix]++
			c[3][w>>(32+wideBits)%wideRadix]++
			w = twoWords(unsafe.Add(p, 4*i+8)) >> (shift & 63)
			c[0][w%wideRadix]++
			c[1][w>>wideBits%wideRadix]++
			c[2][w>>32%wideRadix]++
			c[3][w>>(32+wideBits)%wideRadix]++
		}
	}
	for ; i+2 <= n; i += 2 {
		w := uint32(word(elemAt[E](p, i)) >> (shift & 63))
		c[0][w%wideRadix]++
		c[1][w>>wideBits%wideRadix]++
		w = uint32(word(elemAt[E](p, i+1)) >> (shift & 63))
		c[2][w%wideRadix]++
		c[3][w>>wideBits%wideRadix]++
	}
	if i < n {
		w := uint32(word(elemAt[E](p, i)) >> (shift & 63))
		c[0][w%wideRadix]++
		c[1][w>>wideBits%wideRadix]++
	}
}

// scatterWide moves a to the places in b that c has for their digits at shift,
// and c along. Elements are stored two by two, after their counters: a store
// that misses the level-1 cache holds up those after it. Inlined into its
// caller, its loop would spill registers.
//
//go:noinline
func scatterWide[E elem](a, b []E, c *wideCounts, shift uint) {
	p, n, i := unsafe.Pointer(unsafe.SliceData(a)), uintptr(len(a)), uintptr(0)
	q := unsafe.Pointer(unsafe.SliceData(b))
	for ; i+4 <= n; i += 4 {
		d := word(elemAt[E](p, i)) >> (shift & 63) % wideRadix
		x := c[d]
		c[d] = x + 1
		d = word(elemAt[E](p, i+1)) >> (shift & 63) % wideRadix
		y := c[d]
		c[d] = y + 1
		*elemAt[E](q, uintptr(x)) = *elemAt[E](p, i)
		*elemAt[E](q, uintptr(y)) = *elemAt[E](p, i+1)
		d = word(elemAt[E](p, i+2)) >> (shift & 63) % wideRadix
		x = c[d]
		c[d] = x + 1
		d = word(elemAt[E](p, i+3)) >> (shift & 63) % wideRadix
		y = c[d]
		c[d] = y + 1
		*elemAt[E](q, uintptr(x)) = *elemAt[E](p, i+2)
		*elemAt[E](q, uintptr(y)) = *elemAt[E](p, i+3)
	}
	for ; i < n; i++ {
		e := elemAt[E](p, i)
		to := &c[word(e)>>(shift&63)%wideRadix]
		*elemAt[E](q, uintptr(*to)) = *e
		*to++
	}
}
