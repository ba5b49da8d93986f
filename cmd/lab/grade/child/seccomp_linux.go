//go:build amd64 || arm64

package child

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (linux/seccomp.h); arguments are 64 bits, of
// which the lower half comes first on little-endian machines.
const (
	offCall = 0
	offArch = 4
	offArg0 = 16
)

// killed ends the process where a call has no honest use in a sort.
const killed = unix.SECCOMP_RET_KILL_PROCESS

func refused(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// filter is a program for the kernel's filter of system calls, under
// construction.
type filter []unix.SockFilter

func (f *filter) add(code uint16, k uint32, yes, no uint8) {
	*f = append(*f, unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no})
}

const (
	load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	anyBit = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	atMin  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	result = unix.BPF_RET | unix.BPF_K
)

// on ends a call with action.
func (f *filter) on(action uint32, calls ...uint32) {
	for _, nr := range calls {
		f.add(equal, nr, 0, 1)
		f.add(result, action, 0, 0)
	}
}

// onArg ends a call with action unless test of its first argument holds.
func (f *filter) unlessArg(action uint32, test uint16, k uint32, calls ...uint32) {
	for _, nr := range calls {
		f.add(equal, nr, 0, 4)
		f.add(load, offArg0, 0, 0)
		f.add(test, k, 1, 0)
		f.add(result, action, 0, 0)
		f.add(load, offCall, 0, 0)
	}
}

// newFilter lets a process of number pid do everything but reach for other
// processes and the network. Without forks it can start no other either: a
// library's helper would not stop with it.
func newFilter(pid uint32, forks bool) filter {
	var f filter
	f.add(load, offArch, 0, 0)
	f.add(equal, auditArch, 1, 0)
	f.add(result, killed, 0, 0)
	f.add(load, offCall, 0, 0)
	f.add(atMin, foreignCalls, 0, 1)
	f.add(result, killed, 0, 0)
	f.unlessArg(killed, equal, pid, unix.SYS_KILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO)
	f.on(killed, unix.SYS_TKILL, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
		unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PIDFD_GETFD)
	f.on(refused(unix.EPERM), unix.SYS_PIDFD_OPEN, unix.SYS_USERFAULTFD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
		unix.SYS_SETNS, unix.SYS_UNSHARE, unix.SYS_MOUNT, unix.SYS_SETSID, unix.SYS_SETPGID, unix.SYS_REBOOT)
	f.on(refused(unix.ENOSYS), unix.SYS_IO_URING_SETUP)
	for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
		f.add(equal, unix.SYS_SOCKET, 0, 4)
		f.add(load, offArg0, 0, 0)
		f.add(equal, family, 0, 1)
		f.add(result, refused(unix.EACCES), 0, 0)
		f.add(load, offCall, 0, 0)
	}
	if !forks {
		f.unlessArg(refused(unix.EPERM), anyBit, unix.CLONE_THREAD, unix.SYS_CLONE)
		// The C library then takes clone, whose flags a filter can read.
		f.on(refused(unix.ENOSYS), unix.SYS_CLONE3)
		f.on(refused(unix.EPERM), append(forkCalls, unix.SYS_EXECVE, unix.SYS_EXECVEAT)...)
	}
	f.add(result, unix.SECCOMP_RET_ALLOW, 0, 0)
	return f
}

// confine installs the filter for all threads, those of libraries too.
func confine(forks bool) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f := newFilter(uint32(os.Getpid()), forks)
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	r, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(f)
	if e != 0 || r != 0 {
		return fmt.Errorf("this kernel cannot confine the submission (seccomp: %v, thread %d); --unconfined goes without", e, r)
	}
	return nil
}
