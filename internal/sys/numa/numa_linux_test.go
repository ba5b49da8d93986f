package numa

import (
	"errors"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestOn: memory is preferred from the node while f runs, and from any behind it; a policy of
// the caller's own stays.
func TestOn(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if policy() != policyDefault || unix.SetMemPolicy(policyDefault, nil) != nil {
		absent.Skip(t, "set_mempolicy", "this system does not let a thread choose where its memory comes from")
	}
	defer func(f func() bool) { several = f }(several)
	several = func() bool { return true }
	failed := errors.New("failed")
	during := func(node int) (mode int) {
		if err := On(node, func() error { mode = policy(); return failed }); err != failed {
			t.Errorf("node %d: %v", node, err)
		}
		return mode
	}
	for node, want := range map[int]int{0: policyPreferred, -1: policyDefault, 1000: policyDefault} {
		if got := during(node); got != want {
			t.Errorf("node %d: policy %d, want %d", node, got, want)
		}
		if got := policy(); got != policyDefault {
			t.Errorf("behind node %d: policy %d", node, got)
		}
	}
	var mask unix.CPUSet
	mask.Set(0)
	const bind = 2
	if err := unix.SetMemPolicy(bind, &mask); err != nil {
		t.Fatal(err)
	}
	defer unix.SetMemPolicy(policyDefault, nil)
	if got := during(0); got != bind || policy() != bind {
		t.Errorf("the caller's policy became %d", got)
	}
	several = func() bool { return false }
	unix.SetMemPolicy(policyDefault, nil)
	if got := during(0); got != policyDefault {
		t.Errorf("one node: policy %d", got)
	}
}
