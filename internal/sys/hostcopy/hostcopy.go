// Package hostcopy copies large blocks of host memory past the caches. A plain
// store first reads the line that it overwrites; a streaming store does not, so
// that a copy costs two thirds of the memory traffic, and a copy to two places
// from one read costs half of two plain copies. And it reads several pages in
// turn, since what a core reads ahead ends with the page.
package hostcopy

import "unsafe"

// align is what streaming stores want of a destination: a cache line, so that
// each line is written whole.
const align = 64

// least is the number of bytes from which streaming pays: below, the
// destination is likely to be read again from a cache.
const least = 32 << 10

// Copy copies n bytes between memory that does not overlap.
func Copy(dst, src unsafe.Pointer, n uint64) {
	if n < least || !streams {
		plain(dst, src, n)
		return
	}
	if head := -uint64(uintptr(dst)) % align; head != 0 {
		plain(dst, src, head)
		dst, src, n = unsafe.Add(dst, head), unsafe.Add(src, head), n-head
	}
	body := n &^ (unit - 1)
	stream(dst, src, uintptr(body))
	if rest := n - body; rest != 0 { // else a pointer past the memory, which the collector may refuse
		plain(unsafe.Add(dst, body), unsafe.Add(src, body), rest)
	}
}

// Twice copies n bytes of src to a and to b, none of which overlap. It reads
// src from memory once.
func Twice(a, b, src unsafe.Pointer, n uint64) {
	if n < least || !streams || uint64(uintptr(a))%align != 0 || uint64(uintptr(b))%align != 0 {
		for at := uint64(0); at < n; at += block {
			k := min(block, n-at)
			plain(unsafe.Add(a, at), unsafe.Add(src, at), k)
			plain(unsafe.Add(b, at), unsafe.Add(src, at), k)
		}
		return
	}
	body := n &^ (unit - 1)
	streamTwice(a, b, src, uintptr(body))
	if rest := n - body; rest != 0 {
		plain(unsafe.Add(a, body), unsafe.Add(src, body), rest)
		plain(unsafe.Add(b, body), unsafe.Add(src, body), rest)
	}
}

// block fits a core's second-level cache: what plain copies of one source write
// to two places is read from memory once.
const block = 256 << 10

func plain(dst, src unsafe.Pointer, n uint64) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}

// Cached copies n bytes by plain stores, for memory that is read, or written again, while it
// is still in a cache.
func Cached(dst, src unsafe.Pointer, n uint64) {
	const part = 128 << 10 // Go's copy streams by itself from 1 MiB on
	for at := uint64(0); at < n; at += part {
		plain(unsafe.Add(dst, at), unsafe.Add(src, at), min(part, n-at))
	}
}
