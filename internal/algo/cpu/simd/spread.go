package simd

import "unsafe"

// The functions of this file treat elements by a digit of their word,
// (word >> shift) & mask: a uint32 or uint64 is its own word, and that of a
// longer element is its first eight bytes. They must be Available.

// MaxDigits is the most digits that a Tally counts.
const MaxDigits = 1024

// Tally counts digits: those of digit d are in t[0][d] and t[1][d], half in each,
// which add up to less than 2^32.
type Tally [2][MaxDigits]uint32

// StreamDigits is the most digits that Lines keeps apart.
const StreamDigits = 256

// Lines collects elements by digit in lines of StreamBytes and writes each full
// line past the caches. Lines end where addresses are multiples of their length,
// so that the first and the last of a digit may be partial; the last is the
// caller's to write.
type Lines struct {
	Line [StreamDigits][StreamBytes]byte
	// Next is where the next byte of a digit goes, counted from a multiple of
	// StreamBytes at or before the destination; First is where its first went.
	Next, First [StreamDigits]uint64
}

// Zip makes w[i] = k[i] << 32 | v[i]; all have one length.
func Zip(w []uint64, k, v []uint32) {
	done := len(w) &^ 7
	if done > 0 {
		zip(w[:done], k[:done], v[:done])
	}
	for i := done; i < len(w); i++ {
		w[i] = uint64(k[i])<<32 | uint64(v[i])
	}
}

// ZipAt makes w[i] = k[i] << 32 | at + i; both have one length, and positions
// less than 2^32.
func ZipAt(w []uint64, k []uint32, at int) {
	done := len(w) &^ 7
	if done > 0 {
		zipAt(w[:done], k[:done], at)
	}
	for i := done; i < len(w); i++ {
		w[i] = uint64(k[i])<<32 | uint64(at+i)
	}
}

// Unzip undoes Zip.
func Unzip(k, v []uint32, w []uint64) {
	done := len(w) &^ 7
	if done > 0 {
		unzip(k[:done], v[:done], w[:done])
	}
	for i := done; i < len(w); i++ {
		k[i], v[i] = uint32(w[i]>>32), uint32(w[i])
	}
}

// UnzipStream is Unzip past the caches: for results that do not fit them. It must
// be Available. Others may read k and v only after StreamDone.
func UnzipStream(k, v []uint32, w []uint64) {
	StreamHalf(k, w, true)
	StreamHalf(v, w, false)
}

// StreamHalf writes the high or the low halves of w to x, its length, past the
// caches. It must be Available. Others may read x only after StreamDone.
func StreamHalf(x []uint32, w []uint64, high bool) {
	shift := 0
	if high {
		shift = 32
	}
	// Up to the first multiple of a cache line, and what is left behind the last.
	start := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	i := min(len(x), int(-start%64/4))
	if start%4 != 0 {
		i = len(x)
	}
	for at, u := range w[:i] {
		x[at] = uint32(u >> shift)
	}
	if n := (len(x) - i) &^ 15; n > 0 {
		streamHalf(x[i:i+n], w[i:i+n], high)
		i += n
	}
	for at, u := range w[i:] {
		x[i+at] = uint32(u >> shift)
	}
}

// StreamWord writes the i-th word, the first being 0, of each pair in w to x, its
// length, past the caches. It must be Available. Others may read x only after
// StreamDone.
func StreamWord(x []uint64, w [][2]uint64, i int) {
	// Up to the first multiple of a cache line, and what is left behind the last.
	start := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	done := min(len(x), int(-start%64/8))
	if start%8 != 0 {
		done = len(x) // on a processor of 32 bits
	}
	for at := range done {
		x[at] = w[at][i]
	}
	if n := (len(x) - done) &^ 7; n > 0 {
		streamWord(x[done:done+n], w[done:done+n], i)
		done += n
	}
	for at := done; at < len(x); at++ {
		x[at] = w[at][i]
	}
}

// Nearest returns the least XOR of two neighbours in x, or the largest number if
// there are none. It must be Available.
func Nearest(x []uint32) uint32 {
	least, i := ^uint32(0), 0
	if n := (len(x) - 1) &^ 7; n > 0 {
		least, i = nearest(x[:n+1]), n
	}
	for ; i+1 < len(x); i++ {
		least = min(least, x[i]^x[i+1])
	}
	return least
}

// first is the address of an element, which there is.
func first[E any](x []E) *uint64 { return (*uint64)(unsafe.Pointer(unsafe.SliceData(x))) }
