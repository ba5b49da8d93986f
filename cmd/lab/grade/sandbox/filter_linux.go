//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Calls says which system calls a process needs.
type Calls struct {
	// Start lets it start processes, as OpenCL compilers do.
	Start bool
	// GPU lets it do what drivers of graphics cards do, which nobody can list:
	// only what is known to be bad is forbidden.
	GPU bool
}

// hostCalls are what a sort on the processor, the Go runtime, the C library and
// PoCL with its compiler may call, beside those with rules of their own.
var hostCalls = append([]uint32{
	unix.SYS_BRK, unix.SYS_CHDIR, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOSE,
	unix.SYS_CLOSE_RANGE, unix.SYS_COPY_FILE_RANGE, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL,
	unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2,
	unix.SYS_FADVISE64, unix.SYS_FALLOCATE, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FDATASYNC, unix.SYS_FLOCK, unix.SYS_FSTAT,
	unix.SYS_FSTATFS, unix.SYS_FSYNC, unix.SYS_FTRUNCATE, unix.SYS_FUTEX, unix.SYS_GETCPU, unix.SYS_GETCWD, unix.SYS_GETDENTS64,
	unix.SYS_GETEGID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETRANDOM, unix.SYS_GETRUSAGE,
	unix.SYS_GETTID, unix.SYS_GETTIMEOFDAY, unix.SYS_GETUID, unix.SYS_GET_MEMPOLICY, unix.SYS_GET_ROBUST_LIST, unix.SYS_LINKAT,
	unix.SYS_LSEEK, unix.SYS_MADVISE, unix.SYS_MEMBARRIER, unix.SYS_MINCORE, unix.SYS_MKDIRAT, unix.SYS_MLOCK, unix.SYS_MPROTECT,
	unix.SYS_MREMAP, unix.SYS_MUNLOCK, unix.SYS_MUNMAP, unix.SYS_NANOSLEEP, unix.SYS_OPENAT, unix.SYS_PIPE2, unix.SYS_PPOLL,
	unix.SYS_PREAD64, unix.SYS_PREADV, unix.SYS_PSELECT6, unix.SYS_PWRITE64, unix.SYS_PWRITEV, unix.SYS_READ, unix.SYS_READLINKAT,
	unix.SYS_READV, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_RESTART_SYSCALL, unix.SYS_RSEQ, unix.SYS_RT_SIGACTION,
	unix.SYS_RT_SIGPENDING, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_YIELD, unix.SYS_SENDFILE,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_SIGALTSTACK, unix.SYS_STATFS, unix.SYS_STATX, unix.SYS_SYMLINKAT,
	unix.SYS_SYSINFO, unix.SYS_TIMES, unix.SYS_TRUNCATE, unix.SYS_UMASK, unix.SYS_UNAME, unix.SYS_UNLINKAT, unix.SYS_WAIT4,
	unix.SYS_WAITID, unix.SYS_WRITE, unix.SYS_WRITEV,
}, oldCalls...)

// elsewhere are calls with no honest use in a sort: they reach for another
// process, and end their own.
var elsewhere = []uint32{unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_SEND_SIGNAL,
	unix.SYS_PIDFD_GETFD, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO}

// outward are calls that a driver does not need and that lead out of the
// process: what a GPU process may not do either.
var outward = []uint32{unix.SYS_PIDFD_OPEN, unix.SYS_KCMP, unix.SYS_USERFAULTFD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_SETNS, unix.SYS_UNSHARE,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN,
	unix.SYS_SETSID, unix.SYS_SETPGID, unix.SYS_REBOOT, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_TIMER_CREATE,
	unix.SYS_MQ_OPEN, unix.SYS_MQ_NOTIFY, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM,
	unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET, unix.SYS_PROCESS_MADVISE,
	unix.SYS_VHANGUP, unix.SYS_ACCT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_KEXEC_LOAD}

// another are calls after which the C library takes an older one.
var another = []uint32{unix.SYS_CLONE3, unix.SYS_OPENAT2, unix.SYS_IO_URING_SETUP, unix.SYS_MEMFD_SECRET}

// foreignClone are ways of starting a thread or process that no library takes: the
// child is another's, or has namespaces of its own.
const foreignClone = unix.CLONE_PARENT | unix.CLONE_PTRACE | unix.CLONE_UNTRACED | unix.CLONE_PIDFD | unix.CLONE_NEWUSER | unix.CLONE_NEWNS |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// filterOf is the filter for the process of number pid.
func filterOf(pid uint32, c Calls) program {
	var p program
	p.add(load, offArch, 0, 0)
	p.add(equal, auditArch, 1, 0)
	p.add(ret, killed, 0, 0)
	p.add(load, offCall, 0, 0)
	p.add(atMin, foreignCalls, 0, 1)
	p.add(ret, killed, 0, 0)

	p.on(killed, elsewhere...)
	p.on(refused(unix.ENOSYS), another...)
	p.rule(killed, unix.SYS_KILL, isNot(0, pid))
	p.rule(killed, unix.SYS_TGKILL, isNot(0, pid))
	p.rule(killed, unix.SYS_PRLIMIT64, isNot(0, 0), isNot(0, pid))
	// What stands still must not wake itself, by none of the five ways.
	for _, s := range []unix.Signal{unix.SIGCONT, unix.SIGSTOP, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU} {
		p.rule(refused(unix.EPERM), unix.SYS_KILL, is(1, uint32(s)))
		p.rule(refused(unix.EPERM), unix.SYS_TGKILL, is(2, uint32(s)))
	}
	for _, cmd := range []uint32{unix.F_SETSIG, unix.F_SETOWN, unix.F_SETOWN_EX} {
		p.rule(refused(unix.EPERM), unix.SYS_FCNTL, is(1, cmd))
	}
	if c.Start {
		p.rule(refused(unix.EPERM), unix.SYS_CLONE, has(0, foreignClone))
		// A child's end must not be told by a signal that wakes.
		p.rule(refused(unix.EPERM), unix.SYS_CLONE, has(0, 0xff&^uint32(unix.SIGCHLD)))
	} else {
		p.rule(refused(unix.EPERM), unix.SYS_CLONE, hasNot(0, unix.CLONE_THREAD))
		// With CLONE_VFORK the caller waits and cannot be stopped.
		p.rule(refused(unix.EPERM), unix.SYS_CLONE, has(0, foreignClone|unix.CLONE_VFORK))
		p.on(refused(unix.EPERM), append(forkCalls, unix.SYS_EXECVE, unix.SYS_EXECVEAT)...)
	}
	// All calls of terminals lie in one row of 256.
	p.rule(refused(unix.ENOTTY), unix.SYS_IOCTL, from(1, 0x5400), below(1, 0x5500))
	if c.GPU {
		p.rule(refused(unix.EACCES), unix.SYS_SOCKET, isNot(0, unix.AF_UNIX))
		p.on(refused(unix.EPERM), outward...)
		p.add(ret, allowed, 0, 0)
		return p
	}
	// Memory that no limit counts: shared and of no file, or of a stack that grows.
	p.rule(refused(unix.ENOMEM), unix.SYS_MMAP, has(3, unix.MAP_SHARED), has(3, unix.MAP_ANONYMOUS))
	p.rule(refused(unix.ENOMEM), unix.SYS_MMAP, has(3, unix.MAP_GROWSDOWN))
	// Nor are locks on parts of files counted.
	for _, cmd := range []uint32{unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_SETLK, unix.F_OFD_SETLKW} {
		p.rule(refused(unix.ENOLCK), unix.SYS_FCNTL, is(1, cmd))
	}
	for _, option := range []uint32{unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_VMA} {
		p.rule(allowed, unix.SYS_PRCTL, is(0, option))
	}
	p.rule(allowed, unix.SYS_PRLIMIT64, null(2)...)
	p.on(allowed, unix.SYS_CLONE, unix.SYS_KILL, unix.SYS_TGKILL, unix.SYS_MMAP, unix.SYS_FCNTL)
	p.on(allowed, hostCalls...)
	if c.Start {
		p.on(allowed, append(forkCalls, unix.SYS_EXECVE, unix.SYS_EXECVEAT)...)
	}
	p.add(ret, refused(unix.EPERM), 0, 0)
	return p
}

// Filter forbids all threads of this process, for ever, the system calls that c
// does not allow.
func Filter(c Calls) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := filterOf(uint32(os.Getpid()), c)
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	r, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(p)
	if e != 0 || r != 0 {
		return fmt.Errorf("this kernel cannot confine the submission (seccomp: %v, thread %d); --unconfined goes without", e, r)
	}
	return nil
}
