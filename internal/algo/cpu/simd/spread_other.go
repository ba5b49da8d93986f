//go:build !amd64 || noasm || purego

package simd

// Count is never called here: no level is Available.
func Count[E any]([]E, uint, uint32, *Tally, uint64) uint64 { return 0 }

// Append is never called here.
func Append[E any](*Lines, []E, uint, uint32, []E) {}

// Move is never called here.
func Move[E any]([]E, uint, uint32, *[MaxDigits]uint32, []E) {}

// Tags is never called here.
func Tags[E any]([]uint32, []E, uint, uint) {}

// Fetch is never called here.
func Fetch[E any](_, _ []E, _ []uint32, _ uint32) {}

func zip([]uint64, []uint32, []uint32) {}

func zipAt([]uint64, []uint32, int) {}

func unzip([]uint32, []uint32, []uint64) {}

func streamHalf([]uint32, []uint64, bool) {}

func streamWord([]uint64, [][2]uint64, int) {}

func nearest([]uint32) uint32 { return 0 }
