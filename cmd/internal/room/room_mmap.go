//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package room

import (
	"math"
	"syscall"
)

// available maps n bytes and gives them back; the system fills none.
func available(n uint64) bool {
	if n > math.MaxInt {
		return false
	}
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	return syscall.Munmap(b) == nil
}
