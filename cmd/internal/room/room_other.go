//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package room

import "math"

// available knows of the address space only.
func available(n uint64) bool { return n <= math.MaxInt }
