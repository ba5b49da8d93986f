//go:build !nogpu && (linux || darwin) && !android && !ios && (amd64 || arm64)

package cl

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// canLoad says whether open can succeed at all.
const canLoad = true

func open(path string) (uintptr, error) {
	runtime.LockOSThread() // dlerror's text belongs to the thread
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }

func invoke(fn uintptr, args []uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}
