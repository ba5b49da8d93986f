//go:build !nogpu && (linux || darwin) && !android && !ios && (amd64 || arm64)

package cl

import (
	"github.com/ebitengine/purego"

	"github.com/gpusort/gpusort/internal/sys/dynlib"
)

// canLoad says whether open can succeed at all.
const canLoad = true

func open(path string) (uintptr, error) { return dynlib.Local(path) }

func symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }

func invoke(fn uintptr, args []uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}
