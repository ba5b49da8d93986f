//go:build !nogpu && linux && !android && (amd64 || arm64)

package cuda

import (
	"runtime"
	"testing"

	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

// TestClosedContextStaysGone: a thread that last served a device which was
// closed since does not get its context back. The fake counts such a call.
func TestClosedContextStaysGone(t *testing.T) {
	drv, _ := fakeDriver(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := drivertest.Devices(t, drv)
	if len(all) < 2 {
		t.Fatal("the fake has two devices")
	}
	first, second := all[0], all[1]
	rig := newRig(t, second, 16)
	must(t, rig.q.Launch(rig.add, rig.l))
	must(t, rig.buf.Close())
	must(t, rig.q.Close())
	r := newRig(t, first, 16)
	must(t, r.q.Launch(r.add, r.l)) // first's context is current on this thread
	must(t, r.buf.Close())
	must(t, r.q.Close())
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // a thread of its own
		done <- first.Close()
	}()
	must(t, <-done)
	must(t, second.Close()) // finds first's context current, and it is no more
}
