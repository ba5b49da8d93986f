//go:build !nogpu && (amd64 || arm64)

package cl

import (
	"syscall"

	"github.com/ebitengine/purego"
)

// canLoad says whether open can succeed at all.
const canLoad = true

func open(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	if err != nil {
		return 0, &syscall.DLLError{Err: err, ObjName: path, Msg: path + ": " + err.Error()}
	}
	return uintptr(h), nil
}

func symbol(lib uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(lib), name)
}

func invoke(fn uintptr, args []uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}
