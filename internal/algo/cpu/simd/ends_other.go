//go:build !amd64 || noasm || purego

package simd

// MergeEnds declines.
func MergeEnds[U Word](dst, a, b []U, n int) (front, back int, ok bool) { return 0, 0, false }
