//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"sync"

	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// primaries counts how often this process holds each primary context that one
// of its devices ever held. A thread keeps the context of its last call current;
// when the device is closed that context is gone, and must not be made current
// again by a call that puts back what it found.
var primaries = struct {
	sync.RWMutex
	held map[primary]int
}{held: map[primary]int{}}

// primary is a context of one driver library.
type primary struct {
	l *cu.Lib
	c cu.Context
}

func (d *device) retain() (cu.Context, cu.Result) {
	primaries.Lock()
	defer primaries.Unlock()
	c, r := d.l.PrimaryRetain(d.h)
	if r == cu.Success {
		primaries.held[primary{d.l, c}]++
	}
	return c, r
}

func (d *device) giveBack() cu.Result {
	primaries.Lock()
	defer primaries.Unlock()
	primaries.held[primary{d.l, cu.Context(d.ctx.Load())}]--
	return d.l.PrimaryRelease(d.h)
}

// restore makes c, which was current on this thread before, current again: none
// if it is of a device that has been closed since.
func (d *device) restore(f *cu.Frame, c cu.Context) {
	primaries.RLock()
	defer primaries.RUnlock()
	if n, ours := primaries.held[primary{d.l, c}]; ours && n <= 0 {
		c = 0
	}
	f.CtxSetCurrent(c)
}
