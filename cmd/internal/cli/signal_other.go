//go:build !unix

package cli

import (
	"os"
	"syscall"
)

// endings are the signals that end the command in order.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// ignoreFileSizeSignal does nothing: there is no such signal here.
func ignoreFileSizeSignal() {}

// surviveBrokenPipe does nothing: there is no such signal here.
func surviveBrokenPipe() {}
