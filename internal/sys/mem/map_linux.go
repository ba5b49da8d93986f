package mem

import "syscall"

// mapHost maps n bytes, a multiple of mapUnit, that the system fills with
// zeros, preferably huge pages, when they are touched.
func mapHost(n uint64) ([]byte, error) {
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	// Advice that the kernel does not take costs time, nothing else.
	_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	return b, nil
}

// unmapHost gives memory of mapHost back.
func unmapHost(b []byte) {
	// It fails for ranges that were never mapped only.
	_ = syscall.Munmap(b)
}
