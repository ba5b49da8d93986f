package sandbox

import "golang.org/x/sys/unix"

// auditArch names the only calling convention that the filter knows.
const auditArch = unix.AUDIT_ARCH_AARCH64

// foreignCalls is past every call: arm64 has one convention.
const foreignCalls = 0x40000000

var forkCalls []uint32

// oldCalls are those of which this architecture has another name.
var oldCalls = []uint32{unix.SYS_FSTATAT, unix.SYS_GETRLIMIT}
