//go:build amd64 || arm64

package sandbox

import "golang.org/x/sys/unix"

// Offsets in struct seccomp_data (linux/seccomp.h). Arguments have 64 bits, of
// which the lower half comes first on little-endian machines.
const (
	offCall = 0
	offArch = 4
)

func offArg(n uint32) uint32     { return 16 + 8*n }
func offArgHigh(n uint32) uint32 { return offArg(n) + 4 }

// What becomes of a call. killed ends the process where a call has no honest
// use in a sort.
const (
	killed  = uint32(unix.SECCOMP_RET_KILL_PROCESS)
	allowed = uint32(unix.SECCOMP_RET_ALLOW)
)

func refused(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// program is one for the kernel's filter of system calls, under construction.
// The number of the call is loaded before each instruction of on and rule.
type program []unix.SockFilter

func (p *program) add(code uint16, k uint32, yes, no uint8) {
	*p = append(*p, unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no})
}

const (
	load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	anyBit = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	atMin  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	ret    = unix.BPF_RET | unix.BPF_K
)

// test is a condition on 32 bits of an argument. The kernel cuts what it calls
// an int to its lower half, so that the upper one must not be looked at.
type test struct {
	off  uint32
	code uint16
	k    uint32
	not  bool
}

func is(arg, k uint32) test    { return test{offArg(arg), equal, k, false} }
func isNot(arg, k uint32) test { return test{offArg(arg), equal, k, true} }
func has(arg, bits uint32) test {
	return test{offArg(arg), anyBit, bits, false}
}
func hasNot(arg, bits uint32) test { return test{offArg(arg), anyBit, bits, true} }
func from(arg, k uint32) test      { return test{offArg(arg), atMin, k, false} }
func below(arg, k uint32) test     { return test{offArg(arg), atMin, k, true} }

// null holds for a pointer to nothing.
func null(arg uint32) []test { return []test{is(arg, 0), {offArgHigh(arg), equal, 0, false}} }

// on ends calls with action.
func (p *program) on(action uint32, calls ...uint32) {
	for _, nr := range calls {
		p.add(equal, nr, 0, 1)
		p.add(ret, action, 0, 0)
	}
}

// rule ends a call with action if all tests hold.
func (p *program) rule(action, call uint32, tests ...test) {
	p.add(equal, call, 0, uint8(2*len(tests)+2))
	for i, t := range tests {
		// What follows: two instructions for each later test, and the return.
		rest := uint8(2*(len(tests)-1-i) + 1)
		p.add(load, t.off, 0, 0)
		if t.not {
			p.add(t.code, t.k, rest, 0)
		} else {
			p.add(t.code, t.k, 0, rest)
		}
	}
	p.add(ret, action, 0, 0)
	p.add(load, offCall, 0, 0)
}
