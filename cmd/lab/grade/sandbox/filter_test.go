//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// verdict runs a filter on a call as the kernel does.
func (p program) verdict(t *testing.T, call uint32, args ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data[offCall:], call)
	binary.LittleEndian.PutUint32(data[offArch:], auditArch)
	for i, a := range args {
		binary.LittleEndian.PutUint64(data[16+8*i:], a)
	}
	var acc uint32
	for at := 0; at < len(p); at++ {
		i, yes := p[at], false
		switch i.Code {
		case load:
			acc = binary.LittleEndian.Uint32(data[i.K:])
			continue
		case ret:
			return i.K
		case equal:
			yes = acc == i.K
		case anyBit:
			yes = acc&i.K != 0
		case atMin:
			yes = acc >= i.K
		default:
			t.Fatalf("instruction %d has code %#x", at, i.Code)
		}
		if yes {
			at += int(i.Jt)
		} else {
			at += int(i.Jf)
		}
	}
	t.Fatal("the filter has no end")
	return 0
}

// TestClone: a process without processes of its own starts threads of its own and nothing else, one
// that has them starts children that are its own; neither starts what is another's, has other
// namespaces, or would wake it by its end. Flags of the kernel are written out here.
func TestClone(t *testing.T) {
	const (
		thread, vfork            = 0x10000, 0x4000
		ptrace, parent, untraced = 0x2000, 0x8000, 0x800000
		pidfd                    = 0x1000
		// mnt, cgroup, uts, ipc, user, pid, net
		spaces = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
		// What the C library's pthread_create takes.
		pthread = 0x3d0f00
	)
	bad := uint64(ptrace | parent | untraced | pidfd | spaces)
	for _, c := range []Calls{{}, {Start: true}, {GPU: true}, {Start: true, GPU: true}} {
		p := filterOf(4711, c)
		// All pairs of bits, alone, with those of a thread and with the signal of a child's end.
		for _, base := range []uint64{0, thread, pthread, uint64(unix.SIGCHLD), uint64(unix.SIGCONT)} {
			for i := range 33 {
				for k := range 33 {
					flags := base | 1<<i&0xffffffff | 1<<k&0xffffffff
					want := flags&thread != 0 && flags&(bad|vfork) == 0
					if c.Start {
						want = flags&bad == 0 && flags&0xff&^uint64(unix.SIGCHLD) == 0
					}
					got := p.verdict(t, unix.SYS_CLONE, flags)
					if got != allowed && got != refused(unix.EPERM) || (got == allowed) != want {
						t.Fatalf("%+v: clone with flags %#x: %#x, allowed %v", c, flags, got, want)
					}
					// The kernel looks at the lower half.
					if other := p.verdict(t, unix.SYS_CLONE, flags|1<<40); other != got {
						t.Fatalf("%+v: clone with flags %#x in the lower half: %#x", c, flags, other)
					}
				}
			}
		}
		if got := p.verdict(t, unix.SYS_CLONE3); got != refused(unix.ENOSYS) {
			t.Errorf("%+v: clone3: %#x", c, got)
		}
		for _, call := range append([]uint32{unix.SYS_EXECVE, unix.SYS_EXECVEAT}, forkCalls...) {
			if got := p.verdict(t, call); (got == allowed) != c.Start {
				t.Errorf("%+v: call %d: %#x", c, call, got)
			}
		}
	}
}

// TestOthers: calls that reach for another process end their own; on itself they do not.
func TestOthers(t *testing.T) {
	p := filterOf(4711, Calls{})
	for _, c := range []struct {
		what string
		call uint32
		args []uint64
		want uint32
	}{
		{"kill another", unix.SYS_KILL, []uint64{1, 9}, killed},
		{"kill its group", unix.SYS_KILL, []uint64{0, 9}, killed},
		{"kill itself", unix.SYS_KILL, []uint64{4711, 9}, allowed},
		{"wake itself", unix.SYS_KILL, []uint64{4711, uint64(unix.SIGCONT)}, refused(unix.EPERM)},
		{"limits of another", unix.SYS_PRLIMIT64, []uint64{1, 0, 0, 0}, killed},
		{"its own limits", unix.SYS_PRLIMIT64, []uint64{0, 3, 0, 1 << 47}, allowed},
		{"new limits of its own", unix.SYS_PRLIMIT64, []uint64{0, 3, 1 << 47, 0}, refused(unix.EPERM)},
		{"new limits at a round address", unix.SYS_PRLIMIT64, []uint64{4711, 3, 1 << 32, 0}, refused(unix.EPERM)},
		{"ptrace", unix.SYS_PTRACE, nil, killed},
		{"a growing stack", unix.SYS_MMAP, []uint64{0, 1 << 20, 3, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN}, refused(unix.ENOMEM)},
		{"a stack for a thread", unix.SYS_MMAP, []uint64{0, 1 << 20, 3, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_STACK}, allowed},
	} {
		if got := p.verdict(t, c.call, c.args...); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.what, got, c.want)
		}
	}
	if p[1].K != auditArch || fmt.Sprint(p[2]) != fmt.Sprint(unix.SockFilter{Code: ret, K: killed}) {
		t.Error("calls of another architecture are not ended first")
	}
}
