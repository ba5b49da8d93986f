//go:build !nogpu && (linux || darwin || freebsd) && (amd64 || arm64)

package peer

import (
	"runtime"

	"github.com/ebitengine/purego"
)

func open(path string) (uintptr, error) {
	runtime.LockOSThread() // dlerror's text belongs to the thread
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// symbol returns 0 for a name that the library lacks.
func symbol(lib uintptr, name string) uintptr {
	p, err := purego.Dlsym(lib, name)
	if err != nil {
		return 0
	}
	return p
}
