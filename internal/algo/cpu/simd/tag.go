package simd

// TagSplit makes a word of each encoded key in k, the encoded key above its position at,
// at+1, …. Those below pivot go to the front of room, in order, the others to
// its end; it returns how many are below. room has at least len(k) words; what
// it has more may be overwritten.
func TagSplit(k []uint32, at int, pivot uint64, room []uint64) (below int) {
	done := 0
	if Current() == AVX512 {
		if n := min(len(k), len(room)-8) &^ 7; n > 0 {
			below = tagSplit(k[:n], at, pivot, room)
			done = n
		}
	}
	end := len(room) - (done - below)
	for i, u := range k[done:] {
		w := uint64(u)<<32 | uint64(at+done+i)
		// To both ends, without a branch on the word.
		room[below], room[end-1] = w, w
		is := 0
		if w < pivot {
			is = 1
		}
		below += is
		end += is - 1
	}
	return below
}

// Low32 writes the low halves of src to dst, its length.
func Low32(dst []uint32, src []uint64) {
	done := 0
	if Current() == AVX512 {
		if n := len(src) &^ 7; n > 0 {
			low32(dst[:n], src[:n])
			done = n
		}
	}
	for i, w := range src[done:] {
		dst[done+i] = uint32(w)
	}
}
