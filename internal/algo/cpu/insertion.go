package cpu

import "unsafe"

// insertNearly sorts e, which is nearly in order and not empty, by insertion by the bits
// of word from low on, or gives up, with e in some order in which equal words
// have kept theirs, if that moves more elements than a radix sort would.
func insertNearly[E elem](e []E, low uint) bool {
	p, n := unsafe.Pointer(unsafe.SliceData(e)), uintptr(len(e))
	keep := ^uint64(0) << (low & 63)
	budget := 4 * len(e)
	for i := uintptr(1); ; i++ {
		if i = fall[E](p, i, n, keep); i == n {
			return true
		}
		x, at := e[i], int(i)
		for w := word(&x) & keep; at > 0 && word(&e[at-1])&keep > w; at-- {
			e[at] = e[at-1]
		}
		e[at] = x
		if budget -= int(i) - at; budget < 0 {
			return false
		}
	}
}

// fall returns the first index from i, at least 1, whose word is below the one
// before in the bits of keep, or n, the number of elements at p. Four are looked
// at a turn, each with a branch of its own, which then tells which it was.
func fall[E elem](p unsafe.Pointer, i, n uintptr, keep uint64) uintptr {
	a := word(elemAt[E](p, i-1)) & keep
	for ; i+4 <= n; i += 4 {
		b := word(elemAt[E](p, i)) & keep
		if b < a {
			return i
		}
		c := word(elemAt[E](p, i+1)) & keep
		if c < b {
			return i + 1
		}
		d := word(elemAt[E](p, i+2)) & keep
		if d < c {
			return i + 2
		}
		a = word(elemAt[E](p, i+3)) & keep
		if a < d {
			return i + 3
		}
	}
	for ; i < n; i++ {
		b := word(elemAt[E](p, i)) & keep
		if b < a {
			return i
		}
		a = b
	}
	return n
}
