package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeBytes is what a pipe may hold by the default limit for users.
const pipeBytes = 1 << 20

// widenPipe has a pipe hold more, so that its ends wait for each other less often. What is no
// pipe stays as it is, and so do pipes where the system refuses.
func widenPipe(f *os.File) {
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = c.Control(func(fd uintptr) {
		if n, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && n < pipeBytes {
			_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes)
		}
	})
}
