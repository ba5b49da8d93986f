package simd

import "unsafe"

// StreamWord writes the first or the second words of pairs to x, their number, past
// the caches. It must be Available. Others may read x only after StreamDone.
func StreamWord(x []uint64, pairs [][2]uint64, second bool) {
	word := 0
	if second {
		word = 1
	}
	// Up to the first multiple of a cache line, and what is left behind the last.
	start := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	i := min(len(x), int(-start%64/8))
	if start%8 != 0 {
		i = len(x)
	}
	for at := range pairs[:i] {
		x[at] = pairs[at][word]
	}
	if n := (len(x) - i) &^ 7; n > 0 {
		streamWord(x[i:i+n], pairs[i:i+n], second)
		i += n
	}
	for ; i < len(x); i++ {
		x[i] = pairs[i][word]
	}
}
