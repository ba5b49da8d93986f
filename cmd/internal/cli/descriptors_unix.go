//go:build unix

package cli

import (
	"errors"
	"syscall"
)

// runtimeFiles is how many descriptors opening the first file takes: its own, and up to three of
// Go's runtime, which ends the process in a way that tells users nothing if it gets none.
const runtimeFiles = 4

// allowFiles is what to do where too few files may be open. Programs of temporary files take most.
const allowFiles = "allow at least 48 (ulimit -n)"

// checkDescriptors returns an error if the process may not have that many files open.
func checkDescriptors() error {
	for range runtimeFiles {
		fd, err := syscall.Dup(syscall.Stdin)
		if err == syscall.EMFILE {
			return errors.New("too few files may be open: " + allowFiles)
		}
		if err == nil {
			defer syscall.Close(fd)
		}
	}
	return nil
}
