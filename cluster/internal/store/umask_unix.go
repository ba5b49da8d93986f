//go:build unix

package store

import (
	"io/fs"
	"syscall"
)

// umask is what new files are without.
var umask = func() fs.FileMode {
	m := syscall.Umask(0o77)
	syscall.Umask(m)
	return fs.FileMode(m)
}()
