//go:build !noasm && !purego

package simd

import "unsafe"

// Count adds the digits of src to t and returns the bits in which its words
// differ from ref. Elements have 4, 8 or 16 bytes.
func Count[E any](src []E, shift uint, mask uint32, t *Tally, ref uint64) (varying uint64) {
	switch p := first(src); unsafe.Sizeof(src[0]) {
	case 4:
		return uint64(Count32AVX2((*uint32)(unsafe.Pointer(p)), len(src), uint64(shift), uint64(mask), &t[0][0], uint32(ref)))
	case 8:
		return Count64AVX2(p, len(src), uint64(shift), uint64(mask), &t[0][0], ref)
	default:
		return Count128AVX2(p, len(src), uint64(shift), uint64(mask), &t[0][0], ref)
	}
}

// Append collects src in l, for the destination dst. Elements have 8 or 16 bytes,
// digits at most 8 bits. Others may read what is written only after StreamDone.
func Append[E any](l *Lines, src []E, shift uint, mask uint32, dst []E) {
	if unsafe.Sizeof(src[0]) == 8 {
		Lines64AVX2(first(src), len(src), uint64(shift), uint64(mask), &l.Line[0][0], first(dst))
		return
	}
	Lines128AVX2(first(src), len(src), uint64(shift), uint64(mask), &l.Line[0][0], first(dst))
}

// Move copies each element of src to dst[next[d]], d being its digit, and adds
// one to next[d]. Elements have 8 or 16 bytes.
func Move[E any](src []E, shift uint, mask uint32, next *[MaxDigits]uint32, dst []E) {
	if unsafe.Sizeof(src[0]) == 8 {
		Move64AVX2(first(src), len(src), uint64(shift), uint64(mask), &next[0], first(dst))
		return
	}
	Move128AVX2(first(src), len(src), uint64(shift), uint64(mask), &next[0], first(dst))
}

// Tags makes tags[i] the low 32 bits of word >> shift << place | i. Elements have
// 8 or 16 bytes.
func Tags[E any](tags []uint32, src []E, shift, place uint) {
	if unsafe.Sizeof(src[0]) == 8 {
		Tags64AVX2(first(src), len(src), uint64(shift), uint64(place), &tags[0])
		return
	}
	Tags128AVX2(first(src), len(src), uint64(shift), uint64(place), &tags[0])
}

// Fetch copies src[tags[i] & mask] to dst[i] for each tag. Elements have 8 or 16
// bytes.
func Fetch[E any](dst, src []E, tags []uint32, mask uint32) {
	if unsafe.Sizeof(src[0]) == 8 {
		Fetch64AVX2(&tags[0], len(tags), uint64(mask), first(src), first(dst))
		return
	}
	Fetch128AVX2(&tags[0], len(tags), uint64(mask), first(src), first(dst))
}

func zip(w []uint64, k, v []uint32) { ZipAVX2(&w[0], &k[0], &v[0], len(w)) }

func zipAt(w []uint64, k []uint32, at int) { ZipAtAVX2(&w[0], &k[0], uint64(at), len(w)) }

func unzip(k, v []uint32, w []uint64) { UnzipAVX2(&k[0], &v[0], &w[0], len(w)) }

func streamHalf(x []uint32, w []uint64, high bool) {
	if high {
		StreamHighAVX2(&x[0], &w[0], len(w))
	} else {
		StreamLowAVX2(&x[0], &w[0], len(w))
	}
}

func streamWord(x []uint64, w [][2]uint64, i int) {
	if i == 0 {
		StreamFirstAVX2(&x[0], &w[0][0], len(w))
	} else {
		StreamSecondAVX2(&x[0], &w[0][0], len(w))
	}
}

func nearest(x []uint32) uint32 { return NearestAVX2(&x[0], len(x)) }
