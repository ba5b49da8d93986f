package numa

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Policies of set_mempolicy(2).
const (
	policyDefault   = 0
	policyPreferred = 1
)

// several reports whether the host has several memory nodes; a list of one is "0".
var several = sync.OnceValue(func() bool {
	b, err := os.ReadFile("/sys/devices/system/node/has_memory")
	return err == nil && strings.ContainsAny(string(b), ",-")
})

func on(node int, f func() error) error {
	if node < 0 || !several() {
		return f()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var mask unix.CPUSet
	mask.Set(node)
	if policy() != policyDefault || unix.SetMemPolicy(policyPreferred, &mask) != nil {
		return f()
	}
	// A thread that cannot be given its policy back only prefers a node.
	defer func() { _ = unix.SetMemPolicy(policyDefault, nil) }()
	return f()
}

// policy is the calling thread's, negative if it cannot be told.
func policy() int {
	mode := int32(-1)
	if _, _, errno := unix.Syscall6(unix.SYS_GET_MEMPOLICY, uintptr(unsafe.Pointer(&mode)), 0, 0, 0, 0, 0); errno != 0 {
		return -1
	}
	return int(mode)
}
