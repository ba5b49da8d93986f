//go:build unix && !aix && !solaris && !illumos

package mem

import "syscall"

// reserve maps n bytes that take memory only where they are touched.
func reserve(n uint64) ([]byte, error) {
	return syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|noReserve)
}

func unreserve(b []byte) {
	// It fails for ranges that were never mapped only.
	_ = syscall.Munmap(b)
}
