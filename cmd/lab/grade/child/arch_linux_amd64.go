package child

import "golang.org/x/sys/unix"

// auditArch names the only calling convention that the filter knows.
const auditArch = unix.AUDIT_ARCH_X86_64

// foreignCalls is where the numbers of the x32 convention begin, under which
// calls would have other numbers.
const foreignCalls = 0x40000000

var forkCalls = []uint32{unix.SYS_FORK, unix.SYS_VFORK}
