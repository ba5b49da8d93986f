//go:build !amd64 || noasm || purego

package simd

// MergesFour says whether there is MergeFour.
const MergesFour = false

// MergeFour is never called here.
func MergeFour[U Word](dst, a, b []U, half, at, steps int, down bool) (j, l, j2, l2 int) { return }
