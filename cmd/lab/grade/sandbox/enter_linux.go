//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// inside marks a process that has entered.
const inside = "entered"

// Enter confines a process that Confine has started, and starts the program
// anew: it returns only in the second instance, or with an error.
func Enter() error {
	text := os.Getenv(specEnv)
	if text == inside {
		return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	}
	var s Spec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("sandbox: no Spec: %w", err)
	}
	// Most of what follows belongs to a thread, and to what that executes.
	runtime.LockOSThread()
	program, err := unix.Open("/proc/self/exe", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("sandbox: open the program: %w", err)
	}
	// Where memory ends, this process ends first. Without /proc it is as likely as
	// others.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	temp := s.Temp()
	if s.Namespaces {
		if program, err = readOnly(program); err != nil {
			return fmt.Errorf("sandbox: the program: %w", err)
		}
		if err := s.newRoot(); err != nil {
			return fmt.Errorf("sandbox: new root: %w", err)
		}
	}
	if err := os.Chdir(temp); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"limits", s.limit},
		{"processors", s.pin},
		{"user id", s.dropRights},
		{"new privileges", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
		{"files", func() error { return landlock(temp, s.GPU) }},
		{"open files", s.shut},
		{"end with the parent", func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0) }},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("sandbox: %s: %w", step.what, err)
		}
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == specEnv
	})
	return execute(program, append(env, specEnv+"="+inside))
}

// readOnly is an open file as a mount of its own shows it, which cannot be written. Every process
// can open the program that it was started from; the mount where it lies is no part of the new
// root, and where the grader is no root its user may change the file's mode there.
func readOnly(file int) (int, error) {
	mount, err := unix.OpenTree(file, "", unix.AT_EMPTY_PATH|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return 0, err
	}
	return mount, unix.MountSetattr(mount, "", unix.AT_EMPTY_PATH, &unix.MountAttr{
		Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV})
}

// execute replaces this process by the open program, which the new root may not
// show.
func execute(program int, env []string) error {
	empty, err := unix.BytePtrFromString("")
	if err != nil {
		return err
	}
	argv, err := pointers(os.Args)
	if err != nil {
		return err
	}
	envp, err := pointers(env)
	if err != nil {
		return err
	}
	_, _, e := unix.RawSyscall6(unix.SYS_EXECVEAT, uintptr(program), uintptr(unsafe.Pointer(empty)),
		uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envp[0])), unix.AT_EMPTY_PATH, 0)
	return fmt.Errorf("start the program anew: %w", e)
}

func pointers(list []string) ([]*byte, error) {
	out := make([]*byte, len(list)+1)
	for i, s := range list {
		var err error
		if out[i], err = unix.BytePtrFromString(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// limit sets what the kernel counts for each process.
func (s Spec) limit() error {
	limits := map[int]uint64{
		// Under 0 the kernel still hands a crashed process to the program that
		// core_pattern names, as root and outside; 1 is the value under which it does
		// not (core(5)), and too short for a file.
		unix.RLIMIT_CORE:     1,
		unix.RLIMIT_MSGQUEUE: 0, unix.RLIMIT_RTPRIO: 0, unix.RLIMIT_NICE: 0,
		unix.RLIMIT_NOFILE: 512,
		// The first thread's stack is no private memory to the kernel.
		unix.RLIMIT_STACK: 8 << 20,
	}
	for what, n := range map[int]uint64{
		unix.RLIMIT_DATA: s.Memory, unix.RLIMIT_AS: s.Addresses, unix.RLIMIT_CPU: s.Seconds,
	} {
		if n > 0 {
			limits[what] = n
		}
	}
	// Without a user namespace the kernel counts all of the user's processes.
	if s.Threads > 0 && s.Namespaces {
		limits[unix.RLIMIT_NPROC] = s.Threads
	}
	if !s.GPU {
		// Drivers make files of device memory.
		limits[unix.RLIMIT_MEMLOCK], limits[unix.RLIMIT_FSIZE] = 1<<20, s.Room
	}
	for what, n := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(what, &now); err != nil {
			return err
		}
		n = min(n, now.Max)
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("limit %d of %d: %w", what, n, err)
		}
	}
	return nil
}

// shut closes files that the process was not handed, when it starts the program
// anew.
func (s Spec) shut() error {
	err := unix.CloseRange(uint(3+s.Files), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if !s.Namespaces && (err == unix.ENOSYS || err == unix.EINVAL) {
		return nil // before Linux 5.11; nothing hides files from such a process anyhow
	}
	return err
}

// pin keeps the process on the first processors that it may use.
func (s Spec) pin() error {
	if s.CPUs == 0 {
		return nil
	}
	var all, some unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	for i := 0; i < 8*int(unsafe.Sizeof(all)) && some.Count() < s.CPUs; i++ {
		if all.IsSet(i) {
			some.Set(i)
		}
	}
	return unix.SchedSetaffinity(0, &some)
}

// dropRights gives up the rights over the new namespaces and, where there is
// another, the user id, for this thread and what it executes.
func (s Spec) dropRights() error {
	if !s.Namespaces && !s.OwnUser {
		return nil
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		// Kernels refuse capabilities that they do not know.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && err != unix.EINVAL {
			return err
		}
	}
	if s.OwnUser {
		id := uintptr(1)
		if !s.Namespaces {
			id = foreignUser
			if err := os.Chown(s.Dir, foreignUser, foreignUser); err != nil {
				return err
			}
		}
		for _, call := range [][2]uintptr{{unix.SYS_SETGROUPS, 0}, {unix.SYS_SETRESGID, id}, {unix.SYS_SETRESUID, id}} {
			// setgroups gets no groups; the others three times the id.
			if _, _, e := unix.RawSyscall(call[0], call[1], call[1], call[1]); e != 0 {
				return e
			}
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}
