//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// endings are the signals that end the command in order: keyboard, terminal, other
// processes, ulimit -t.
var endings = []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGXCPU}

// ignoreFileSizeSignal makes a write past ulimit -f an error instead of the end
// of the process.
func ignoreFileSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }

// surviveBrokenPipe makes a write to a pipe that nobody reads an error instead of
// the end of the process, so that temporary files can be removed. Processes that
// are started still get the signal, as they would not if it were ignored.
func surviveBrokenPipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
