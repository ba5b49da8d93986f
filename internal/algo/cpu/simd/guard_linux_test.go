package simd

import (
	"testing"

	"golang.org/x/sys/unix"
)

// guardedPages returns n bytes, a multiple of the page size, between two pages
// whose access is a fault.
func guardedPages(t *testing.T, n int) []byte {
	t.Helper()
	page := unix.Getpagesize()
	b, err := unix.Mmap(-1, 0, n+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		err = unix.Mprotect(b[:page], unix.PROT_NONE)
	}
	if err == nil {
		err = unix.Mprotect(b[page+n:], unix.PROT_NONE)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) })
	return b[page : page+n : page+n]
}
