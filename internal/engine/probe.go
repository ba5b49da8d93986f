package engine

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/gpusort/gpusort/internal/plan"
)

// probe is what an automatic engine knows of devices.
type probe struct {
	done bool
	list []*device
	// group is of devices in list that sort together where that was measured to pay; nil
	// if there are no such.
	group *group
	// missed is the time that devices would have saved so far.
	missed seconds
}

// worthOpening reports whether "auto" should look for devices for p. Opening a
// device costs openTime once. The engine opens it when the time that a device
// would have saved in all sorts so far, this one included, reaches that cost:
// so it never loses more than twice what the best decision in hindsight loses
// (the ski-rental rule), and a short program never pays for a context.
func (e *Engine) worthOpening(p plan.Problem) bool {
	if e.hopeless() {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.probe.done {
		return true
	}
	if gain := e.cpuTime(p) - e.genericTime(p); gain > 0 {
		e.probe.missed += gain
	}
	return e.probe.missed >= openTime
}

// hopeless reports whether there is no device for "auto", without a look for one.
func (e *Engine) hopeless() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.probe.done {
		return len(e.probe.list) == 0
	}
	return e.cfg.Drivers == nil && !plausible()
}

// plausible reports whether a GPU's kernel driver is there, without loading a
// library.
var plausible = sync.OnceValue(func() bool {
	switch runtime.GOOS {
	case "linux":
		for _, p := range []string{"/dev/nvidiactl", "/dev/dri/renderD*", "/dev/kfd", "/dev/dxg"} {
			if m, _ := filepath.Glob(p); len(m) > 0 {
				return true
			}
		}
	case "windows":
		for _, f := range []string{"nvcuda.dll", "OpenCL.dll"} {
			if _, err := os.Stat(filepath.Join(os.Getenv("SystemRoot"), "System32", f)); err == nil {
				return true
			}
		}
	}
	return false
})
