//go:build unix

package run

import "syscall"

// fileLimit is how many files the process may have open.
func fileLimit() uint64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return mostFiles
	}
	return uint64(l.Cur)
}
