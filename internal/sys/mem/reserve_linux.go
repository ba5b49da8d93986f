package mem

import "syscall"

const noReserve = syscall.MAP_NORESERVE

// preferHuge asks for huge pages. Advice that the kernel does not take costs time,
// nothing else.
func preferHuge(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }

// preferSmall takes preferHuge back.
func preferSmall(b []byte) { _ = syscall.Madvise(b, syscall.MADV_NOHUGEPAGE) }

// drop gives the pages of b back; they read as zeros then.
func drop(b []byte) error { return syscall.Madvise(b, syscall.MADV_DONTNEED) }
