//go:build !noasm && !purego

package simd

// few32 and few64 are kernels.few; x is whole vectors.
func few32(x []uint32, values *[fewValues]uint32, m int, sums *[fewValues]int) {
	var lanes [fewValues][16]uint32
	Few32AVX512(&x[0], len(x), values, m, &lanes)
	for i := range lanes[:m] {
		for _, c := range lanes[i] {
			sums[i] += int(c)
		}
	}
}

func few64(x []uint64, values *[fewValues]uint64, m int, sums *[fewValues]int) {
	var lanes [fewValues][8]uint64
	Few64AVX512(&x[0], len(x), values, m, &lanes)
	for i := range lanes[:m] {
		for _, c := range lanes[i] {
			sums[i] += int(c)
		}
	}
}
