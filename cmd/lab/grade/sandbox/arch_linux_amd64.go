package sandbox

import "golang.org/x/sys/unix"

// auditArch names the only calling convention that the filter knows.
const auditArch = unix.AUDIT_ARCH_X86_64

// foreignCalls is where the numbers of the x32 convention begin, under which
// calls would have other numbers.
const foreignCalls = 0x40000000

var forkCalls = []uint32{unix.SYS_FORK, unix.SYS_VFORK}

// oldCalls are forms of host calls that later architectures do without.
var oldCalls = []uint32{
	unix.SYS_ACCESS, unix.SYS_ARCH_PRCTL, unix.SYS_DUP2, unix.SYS_EPOLL_WAIT, unix.SYS_GETDENTS, unix.SYS_GETPGRP, unix.SYS_GETRLIMIT, unix.SYS_LINK,
	unix.SYS_LSTAT, unix.SYS_MKDIR, unix.SYS_NEWFSTATAT, unix.SYS_OPEN, unix.SYS_PAUSE, unix.SYS_PIPE, unix.SYS_POLL, unix.SYS_READLINK,
	unix.SYS_RENAME, unix.SYS_RMDIR, unix.SYS_SELECT, unix.SYS_STAT, unix.SYS_SYMLINK, unix.SYS_TIME, unix.SYS_UNLINK,
}
