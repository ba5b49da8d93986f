package mem

import (
	"errors"
	"math"
	"os"
	"syscall"
)

// populateRead is MADV_POPULATE_READ, of Linux 5.14.
const populateRead = 22

// mapFile maps n bytes of f from a page on. The rest of the last page can be had by append. A
// process whose address space is limited keeps it for what it cannot do without.
func mapFile(f *os.File, from int64, n int) ([]byte, error) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil && limit.Cur < math.MaxInt64 {
		return nil, errors.New("the address space is limited")
	}
	page := os.Getpagesize()
	// Private pages that are written are the process's own: the file stays as it is.
	b, err := syscall.Mmap(int(f.Fd()), from, (n+page-1)/page*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return b[:n], nil
}

// willNeed has pages read from the disk, without waiting for them.
func willNeed(b []byte) { _ = syscall.Madvise(b, syscall.MADV_WILLNEED) }

// load brings pages to memory. It returns false if the file does not have them any more.
func load(b []byte) bool {
	err := syscall.Madvise(b, populateRead)
	return err == nil || err == syscall.EINVAL // an older system, which brings each page when it is read
}
