//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreFileSizeSignal makes a write past ulimit -f an error instead of the end
// of the process.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
