//go:build !nogpu && !android && (linux || darwin || freebsd) && (amd64 || arm64)

package dynlib

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// Local opens a library whose symbols others do not see, and returns its handle. The
// error has the system's reason.
func Local(name string) (uintptr, error) { return open(name, purego.RTLD_LOCAL) }

// Global is Local, with symbols that libraries opened later find.
func Global(name string) (uintptr, error) { return open(name, purego.RTLD_GLOBAL) }

func open(name string, scope int) (uintptr, error) {
	runtime.LockOSThread() // dlerror's text belongs to the thread
	defer runtime.UnlockOSThread()
	return purego.Dlopen(name, purego.RTLD_NOW|scope)
}
