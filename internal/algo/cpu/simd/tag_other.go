//go:build !amd64 || noasm || purego

package simd

// tagSplit is never called here: no level is Available.
func tagSplit([]uint32, int, uint64, []uint64) int { return 0 }

// low32 is never called here.
func low32([]uint32, []uint64) {}
