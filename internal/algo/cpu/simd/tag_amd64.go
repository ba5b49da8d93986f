//go:build !noasm && !purego

package simd

func tagSplit(k []uint32, at int, pivot uint64, room []uint64) int {
	return TagAVX512(&k[0], len(k), uint64(at), pivot, &room[0], &room[len(room)-1], &splitLanes)
}

func low32(dst []uint32, src []uint64) { Low32AVX512(&dst[0], &src[0], len(src)) }
